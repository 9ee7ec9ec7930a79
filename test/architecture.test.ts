// Owns the executable drawing of the architecture: who may import whom, how big things may be, and what nothing is called.
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, readSources, type Source } from './fixtures/source.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SERVICE = readSources(ROOT, ['service']);
const ALL = readSources(ROOT, ['service', 'sdk', 'test', 'examples', 'bench', 'docs']);

/** Which areas of service/ an area may import besides itself; `root` = the files beside the folders, but for the wiring. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  ports: ['domain'],
  application: ['domain', 'ports', 'root'],
  engine: ['domain', 'ports', 'root'],
  storage: ['domain', 'ports', 'root'],
  delivery: ['domain', 'ports', 'root'],
  metrics: ['domain', 'ports', 'root'],
  events: ['domain', 'ports', 'root'],
  tracing: ['domain', 'ports', 'root'],
  api: ['domain', 'ports', 'application', 'metrics', 'root'],
  config: ['domain', 'root'],
  root: ['domain', 'ports'],
  cli: ['domain', 'config', 'root', 'main'],
  main: [
    'domain',
    'ports',
    'application',
    'engine',
    'storage',
    'delivery',
    'metrics',
    'events',
    'tracing',
    'api',
    'config',
    'root',
  ],
};
/** The files beside the folders that put the parts together; they may import everything. */
const WIRING = ['main', 'running-service', 'health', 'access', 'opening', 'registration', 'waiting'];
/** Without I/O and without frameworks: not even modules of Node.js. */
const PURE = ['domain', 'ports'];
const DIALECTS = ['service/storage/sqlite/', 'service/storage/mssql/'];

const FILE_LINES = 250;
const FUNCTION_LINES = 30;
const PARAMETERS = 4;
/** `path › function` that may be longer, each with its reason in a comment. Stays empty unless defended. */
const LONG_FUNCTIONS: readonly string[] = [];

const DRAWERS = 'util helper common lib type interface manager base impl'.split(' ');
const WRONG_WORDS = 'task message topic pop ack repository dao controller executor helper'.split(' ');

type Rule = (source: Source) => readonly string[];

const RULES: Readonly<Record<string, Rule>> = {
  'imports only what its area may': source =>
    source.imports
      .filter(path => path.startsWith('service/'))
      .flatMap(path => {
        const [from, to] = [areaOf(source.path), areaOf(path)];
        return from === to || MAY_IMPORT[from]?.includes(to) ? [] : [`${from} must not import ${to}: ${path}`];
      }),
  'is in an area that is drawn': ({ path }) => (MAY_IMPORT[areaOf(path)] ? [] : [`${areaOf(path)} is not an area`]),
  'is pure in domain and ports': source =>
    PURE.includes(areaOf(source.path)) ? source.imports.filter(path => !path.startsWith('service/')) : [],
  'keeps the dialects of storage apart': ({ path, imports }) => {
    const own = DIALECTS.find(dialect => path.startsWith(dialect));
    return own ? imports.filter(other => DIALECTS.some(dialect => dialect !== own && other.startsWith(dialect))) : [];
  },
  'imports nothing that is not shipped with the service': ({ imports }) =>
    imports.filter(path => /^(test|bench|examples|sdk|docs)\/|^#/.test(path)),
  'uses the SDK only where it is a client of a service': ({ path, imports }) =>
    areaOf(path) === 'cli' ? [] : imports.filter(name => name.startsWith('@chokaq/')),
  [`has functions of at most ${FUNCTION_LINES} lines and ${PARAMETERS} parameters`]: ({ path, functions }) =>
    functions
      .filter(({ name }) => !LONG_FUNCTIONS.includes(`${path} › ${name}`))
      .filter(({ lines, parameters }) => lines > FUNCTION_LINES || parameters > PARAMETERS)
      .map(({ name, line, lines, parameters }) => `${name} (line ${line}): ${lines} lines, ${parameters} parameters`),
  'exports no word that means something else here': ({ exports }) =>
    exports.filter(name => wordsOf(name).some(word => WRONG_WORDS.includes(singular(word)))),
};

const RULES_FOR_ALL: Readonly<Record<string, Rule>> = {
  'begins with a line that says what it owns': ({ text }) =>
    /^(?:#!.*\n)?\/\/ \S.{20,}/.test(text) ? [] : [text.split('\n', 1)[0] ?? ''],
  [`has at most ${FILE_LINES} lines`]: ({ text }) => {
    const lines = text.trimEnd().split('\n').length;
    return lines > FILE_LINES ? [`${lines} lines`] : [];
  },
  'is not a drawer': ({ path }) =>
    path
      .split('/')
      .flatMap(part => part.replace(/\..*$/, '').split('-'))
      .filter(word => DRAWERS.includes(singular(word)) && word !== 'type'),
  'promises nothing for later': ({ text }) => text.match(/\b(?:TO(?=DO)DO|FIX(?=ME)ME|XX(?=X)X)\b/g) ?? [],
};

describe('every file of the service', () => {
  it.each(Object.entries(RULES))('%s', (_title, rule) => expect(broken(SERVICE, rule)).toEqual({}));
});

describe('every file of the repository', () => {
  it.each(Object.entries(RULES_FOR_ALL))('%s', (_title, rule) => expect(broken(ALL, rule)).toEqual({}));
});

describe('the service as a whole', () => {
  it('imports main.ts only from the command line', () => {
    const importers = SERVICE.filter(({ imports }) => imports.includes('service/main.ts')).map(({ path }) =>
      areaOf(path),
    );
    expect(importers.filter(area => area !== 'cli')).toEqual([]);
  });

  it('has no circle of modules that load each other', () => {
    expect(circleIn(SERVICE)).toEqual([]);
  });

  it('has its rules in domain, and they are found', () => {
    expect(SERVICE.filter(({ path }) => areaOf(path) === 'domain').length).toBeGreaterThan(8);
  });
});

describe('the rules bite', () => {
  const WRONG: readonly (readonly [rule: string, path: string, text: string])[] = [
    ['imports only', 'service/domain/a.ts', "import { b } from '../ports/store.ts';"],
    ['imports only', 'service/ports/a.ts', "import type { b } from '../engine/b.ts';"],
    ['imports only', 'service/engine/a.ts', "export { b } from '../application/b.ts';"],
    ['imports only', 'service/storage/sqlite/a.ts', "import { b } from '../../delivery/b.ts';"],
    ['imports only', 'service/delivery/a.ts', "type B = import('../metrics/b.ts').B;"],
    ['imports only', 'service/metrics/a.ts', "const b = await import('../storage/b.ts');"],
    ['imports only', 'service/api/routes/a.ts', "import { b } from '../../engine/b.ts';"],
    ['imports only', 'service/application/a.ts', "import { b } from '../api/b.ts';"],
    ['imports only', 'service/api/a.ts', "import { b } from '../main.ts';"],
    ['is in an area', 'service/misc/a.ts', ''],
    ['is pure', 'service/domain/a.ts', "import { readFile } from 'node:fs';"],
    ['is pure', 'service/ports/a.ts', "import type { Pool } from 'undici';"],
    ['keeps the dialects', 'service/storage/sqlite/a.ts', "import { b } from '../mssql/b.ts';"],
    ['imports nothing that', 'service/engine/a.ts', "import { b } from '../../test/b.ts';"],
    ['uses the SDK', 'service/application/a.ts', "import { ChokaQ } from '@chokaq/sdk';"],
    ['has functions', 'service/engine/a.ts', `function a() {${'\n  b();'.repeat(31)}\n}`],
    ['has functions', 'service/engine/a.ts', 'class A { b = (c: 1, d: 2, e: 3, f: 4, g: 5) => 1; }'],
    ['exports no word', 'service/engine/a.ts', 'export class JobRepository {}'],
    ['exports no word', 'service/engine/a.ts', 'export const runTasks = 1;'],
    ['exports no word', 'service/engine/a.ts', 'export type { Topic } from "./b.ts";'],
    ['begins with', 'service/engine/a.ts', "import { b } from './b.ts';"],
    ['has at most', 'service/engine/a.ts', 'a();\n'.repeat(251)],
    ['is not a drawer', 'service/engine/utils/a.ts', ''],
    ['is not a drawer', 'service/engine/lease-manager.ts', ''],
    ['is not a drawer', 'test/helpers.ts', ''],
    ['promises nothing', 'service/engine/a.ts', `// TO${''}DO`],
  ];

  it.each(WRONG)('on a wrong file: %s … (%s)', (name, path, text) => {
    const rules = Object.entries({ ...RULES, ...RULES_FOR_ALL }).filter(([title]) => title.startsWith(name));
    expect(rules).toHaveLength(1);
    expect(rules.flatMap(([, rule]) => rule(parse(path, text)))).not.toEqual([]);
  });

  it('on a circle', () => {
    const ring = [
      parse('service/a.ts', "import './b.ts';"),
      parse('service/b.ts', "import './c.ts';"),
      parse('service/c.ts', "import './b.ts';"),
    ];
    expect(circleIn(ring)).toEqual(['service/b.ts', 'service/c.ts', 'service/b.ts']);
  });
});

function broken(sources: readonly Source[], rule: Rule): Readonly<Record<string, readonly string[]>> {
  const found = sources.map(source => [source.path, rule(source)] as const);
  return Object.fromEntries(found.filter(([, faults]) => faults.length > 0));
}

/** A file beside the folders belongs to the folder of its name (`config.ts`), to the wiring, or to the root. */
function areaOf(path: string): string {
  const [, area = '', inner] = path.split('/');
  if (inner !== undefined) return area;
  const name = area.replace(/\.ts$/, '');
  if (WIRING.includes(name)) return 'main';
  return name in MAY_IMPORT ? name : 'root';
}

function wordsOf(name: string): string[] {
  return name.split(/_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map(word => word.toLowerCase());
}

function singular(word: string): string {
  return word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.replace(/s$/, '');
}

/** The first circle found, as the files along it, or nothing. */
function circleIn(sources: readonly Source[]): readonly string[] {
  const known = new Map(sources.map(({ path, loads }) => [path, loads]));
  const clean = new Set<string>();
  const walk = (path: string, trail: readonly string[]): readonly string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (clean.has(path)) return [];
    for (const next of known.get(path) ?? []) {
      const circle = walk(next, [...trail, path]);
      if (circle.length > 0) return circle;
    }
    clean.add(path);
    return [];
  };
  return sources.map(({ path }) => walk(path, [])).find(circle => circle.length > 0) ?? [];
}
