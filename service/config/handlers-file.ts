// Owns the file of handlers: what it may say, where each fault of it stands, and nothing of its secrets in any message.
import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import { ConfigError, type Environment } from '../config.ts';
import type { Fault } from '../domain/errors.ts';
import { LIMITS } from '../domain/job.ts';
import { keyFlaw, trimName } from '../domain/name.ts';
import { inWords } from '../fault-text.ts';
import { breachesOfNewHandler } from './new-handler.ts';
import { filledIn } from './variables.ts';

const SETTING = 'CHOKAQ_HANDLERS_FILE';
const SHAPE = 'must hold a list under `handlers` (`handlers: []` for none), and nothing else';
const A_SECRET = 'must be whsec_ and the base64 of 24 to 64 bytes';

type Members = Readonly<Record<string, unknown>>;
/** From the list of handlers to a member: `[2, 'retry', 'base']`. */
type Place = readonly (string | number)[];

export interface FiledEntry {
  readonly type: string;
  /** What `PUT /handlers/{type}` would take as its body. */
  readonly draft: Members & { readonly url: string; readonly secret: string };
  /** Its schema may replace one that took more. */
  readonly force: boolean;
}

/** Stands for an entry that was refused. */
const NOTHING: FiledEntry = { type: '', draft: { url: '', secret: '' }, force: false };

export class HandlersFile {
  readonly path: string;
  readonly entries: readonly FiledEntry[];
  readonly #lines = new LineCounter();
  readonly #document;
  readonly #faults: string[] = [];
  readonly #faulty = new Set<string>();

  /** Throws `ConfigError` with every fault. `${NAME}` is filled in from `env`. */
  constructor(path: string, env: Environment) {
    this.path = path;
    this.#document = parseDocument(this.#text(path), { lineCounter: this.#lines, merge: true });
    this.entries = this.#listed().map((entry, at) => this.#read(entry, at, env));
    for (const [at, { type }] of this.entries.entries()) {
      const first = this.entries.findIndex(entry => entry.type === type);
      if (first < at && type !== '') this.#fault([at, 'type'], `is that of handlers[${first}] too`);
    }
    if (this.#faults.length > 0) throw new ConfigError(this.#faults);
  }

  /** The refusal of entries that only the running service can judge; a pointer begins with the entry, as `#/2/url`. */
  refusal(faults: readonly Fault[]): ConfigError {
    this.#faults.length = 0;
    for (const { pointer = '#', detail } of faults) this.#fault(placeOf(pointer.slice(1)), detail);
    return new ConfigError(this.#faults);
  }

  #text(path: string): string {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      throw new ConfigError([`${SETTING}: ${path} cannot be read: ${(error as Error).message}.`]);
    }
  }

  #listed(): readonly unknown[] {
    // The parser's own messages quote the line, which may hold a secret.
    for (const { linePos, code } of this.#document.errors) {
      const why = code.toLowerCase().replaceAll('_', ' ');
      this.#faults.push(`${SETTING}: ${this.path}:${linePos?.[0].line ?? 1}: is not YAML (${why}).`);
    }
    if (this.#faults.length > 0) return [];
    const content = this.#content();
    const list = isObject(content) && Object.keys(content).join() === 'handlers' ? content.handlers : undefined;
    if (Array.isArray(list)) return list;
    this.#faults.push(`${SETTING}: ${this.path}:1: ${SHAPE}.`);
    return [];
  }

  /** Aliases of aliases can stand for more than any memory holds; the parser then throws. */
  #content(): unknown {
    try {
      return this.#document.toJS();
    } catch {
      return undefined;
    }
  }

  #read(entry: unknown, at: number, env: Environment): FiledEntry {
    if (!isObject(entry)) {
      this.#fault([at], 'must be a handler with type, url and secret');
      return NOTHING;
    }
    const onFault = (place: Place, what: string) => this.#fault([at, ...place], what);
    const { type, force = false, secretFile, ...rest } = filledIn(entry, env, onFault);
    if (typeof force !== 'boolean') this.#fault([at, 'force'], 'must be true or false');
    const draft = { ...rest, ...this.#secret(secretFile, rest.secret, at) };
    for (const { place, said } of breachesOfNewHandler(draft)) {
      const isKnown = this.#faulty.has(nameOf([at, ...place]));
      if (!isKnown) this.#fault([at, ...place], place[0] === 'secret' ? A_SECRET : inWords(said));
    }
    return { type: this.#type(type, at), draft: draft as FiledEntry['draft'], force: force === true };
  }

  #type(given: unknown, at: number): string {
    if (typeof given !== 'string') this.#fault([at, 'type'], 'must be the type key of jobs, such as email.send.v1');
    const type = typeof given === 'string' ? trimName(given) : '';
    const flaw = typeof given === 'string' ? keyFlaw(type, LIMITS.nameLength) : null;
    if (flaw !== null) this.#fault([at, 'type'], flaw);
    return type;
  }

  /** A secret that the service made would be known to nobody: there is no answer to show it in. */
  #secret(secretFile: unknown, secret: unknown, at: number): { secret?: string } {
    if ((secretFile === undefined) === (secret === undefined)) {
      this.#fault([at], 'needs exactly one of secret and secretFile');
      return {};
    }
    if (secretFile === undefined) return {};
    if (typeof secretFile !== 'string') this.#fault([at, 'secretFile'], 'must be the path of a file');
    try {
      return { secret: readFileSync(String(secretFile), 'utf8').trim() };
    } catch (error) {
      this.#fault([at, 'secretFile'], `cannot be read: ${(error as Error).message}`);
      return {};
    }
  }

  #fault(place: Place, what: string): void {
    this.#faulty.add(nameOf(place));
    this.#faults.push(`${SETTING}: ${this.path}:${this.#lineOf(place)}: ${nameOf(place)} ${what}.`);
  }

  /** Of the member, or of the nearest thing around it that stands in the file. */
  #lineOf(place: Place): number {
    const node: unknown = this.#document.getIn(['handlers', ...place], true);
    const range = isObject(node) ? node.range : undefined;
    if (Array.isArray(range)) return this.#lines.linePos(range[0]).line;
    return place.length === 0 ? 1 : this.#lineOf(place.slice(0, -1));
  }
}

function nameOf(place: Place): string {
  return `handlers${place.map(step => (/^\d+$/.test(String(step)) ? `[${step}]` : `.${step}`)).join('')}`;
}

function placeOf(pointer: string): Place {
  const steps = pointer.split('/').slice(1);
  return steps.map((step, at) => (at === 0 ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')));
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
