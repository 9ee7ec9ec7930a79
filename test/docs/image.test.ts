// Owns what can be known of the container image without a container engine: that all it copies exists, and that what it keeps can serve.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceProcess } from '../process/fixture/service.ts';
import { ROOT } from './fixture/page.ts';
import { freePort } from './fixture/shell.ts';

/** An install and a whole start of the service, on a machine that may have other things to do. */
const PATIENCE_MS = 120_000;
const NATIVE = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';
/** A link of the workspace must lead to what the image has, not back to where it was built. */
const VERBATIM = { recursive: true, verbatimSymlinks: true };
const INSTALL = ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];

const [buildStage = '', runStage = ''] = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  .replace(/\\\n/g, ' ')
  .split(/^FROM .*$/m)
  .slice(1);

interface Copy {
  readonly from: 'context' | 'build';
  readonly sources: readonly string[];
  readonly target: string;
}

function copies(stage: string): Copy[] {
  return [...stage.matchAll(/^COPY (--from=build )?(.+)$/gm)].map(([, fromBuild, paths = '']) => {
    const all = paths.trim().split(/\s+/);
    return { from: fromBuild ? 'build' : 'context', sources: all.slice(0, -1), target: all.at(-1) ?? '' };
  });
}

function environment(): Record<string, string> {
  const pairs = /^ENV (.+)$/m.exec(runStage)?.[1]?.trim().split(/\s+/) ?? [];
  return Object.fromEntries(pairs.map(pair => pair.split('=') as [string, string]));
}

describe('what the Dockerfile copies', () => {
  const sources = copies(buildStage + runStage)
    .filter(({ from }) => from === 'context')
    .flatMap(copy => copy.sources);
  const admitted = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .filter(line => line.startsWith('!'))
    .map(line => line.slice(1));

  test.each([...new Set(sources)])('%s exists, and .dockerignore lets it through', source => {
    expect(existsSync(join(ROOT, source))).toBe(true);
    expect(admitted.some(path => source === path || source.startsWith(`${path}/`))).toBe(true);
  });

  test('.dockerignore admits nothing that is not there', () => {
    expect(admitted.filter(path => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describe('the image, laid out in a folder', () => {
  let folder: string;
  let app: string;
  const services: ServiceProcess[] = [];

  /** As the two stages do it, but for the native build, which is the one at hand. */
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'chokaq-image-'));
    const build = join(folder, 'build');
    app = join(folder, 'app');
    copy(ROOT, build, ['package.json', 'package-lock.json', 'sdk/package.json', 'sdk/dist', 'dist/service']);
    execFileSync('npm', INSTALL, { cwd: build, stdio: 'pipe' });
    copy(ROOT, build, [NATIVE]);
    const [, cleaning = ''] = /npm prune [^&]+&& (.+)$/m.exec(buildStage) ?? [];
    execFileSync('sh', ['-ec', cleaning], { cwd: build, stdio: 'pipe' });
    for (const { from, sources, target } of copies(runStage)) {
      if (from === 'context') copy(ROOT, app, sources);
      else cpSync(sources[0]?.replace('/build', build) ?? '', join(app, target), VERBATIM);
    }
  }, PATIENCE_MS);

  afterAll(async () => {
    await Promise.all(services.map(service => service.kill()));
    rmSync(folder, { recursive: true, force: true });
  }, PATIENCE_MS);

  function copy(from: string, to: string, paths: readonly string[]): void {
    for (const path of paths) {
      mkdirSync(dirname(join(to, path)), { recursive: true });
      cpSync(join(from, path), join(to, path), { recursive: true });
    }
  }

  function run(settings: Record<string, string>): ServiceProcess {
    const own = { CHOKAQ_SQLITE_PATH: join(folder, 'data', 'chokaq.db'), ...settings };
    const command = [process.execPath, join(app, 'dist/service/cli/main.js'), 'serve'];
    const service = ServiceProcess.spawn({ ...environment(), ...own }, command);
    services.push(service);
    return service;
  }

  test(
    'by default it refuses to serve everybody, and says what to do',
    async () => {
      const service = run({});
      expect((await service.exit).code).toBeGreaterThan(0);
      expect(service.output).toContain('CHOKAQ_ALLOW_ANONYMOUS=true');
    },
    PATIENCE_MS,
  );

  test(
    'told to, it serves the API and its page, passes its health check, and ends with 0 on SIGTERM',
    async () => {
      const port = String(await freePort());
      const service = run({ CHOKAQ_PORT: port, CHOKAQ_ALLOW_ANONYMOUS: 'true' });
      await service.listening();
      const origin = `http://127.0.0.1:${port}`;
      for (const path of ['/readyz', '/queues', '/openapi.json', '/docs']) {
        expect({ path, status: (await fetch(origin + path)).status }).toEqual({ path, status: 200 });
      }
      const health = JSON.parse(/^\s*HEALTHCHECK .*CMD (\[.+\])$/m.exec(runStage)?.[1] ?? '[]');
      expect(checkHealth(health, port)).toBe(0);
      expect(await service.stop()).toEqual({ code: 0, signal: null });
      expect(checkHealth(health, port)).toBe(1);
    },
    PATIENCE_MS,
  );

  function checkHealth([, ...args]: readonly string[], port: string): number {
    try {
      execFileSync(process.execPath, args, { env: { ...process.env, CHOKAQ_PORT: port }, stdio: 'pipe' });
      return 0;
    } catch (error) {
      return (error as { status: number }).status;
    }
  }
});
