// Owns the service under measurement: started as a user starts it, on a database of its own, stopped or killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { request } from 'undici';
import { tieToRun } from './program.ts';

const PROJECT = join(import.meta.dirname, '../..');
const LISTENING = /listening on (http:\/\/[^\s"]+)/;
const START_LIMIT_MS = 20_000;

export interface ServiceOptions {
  readonly databasePath: string;
  /** `CHOKAQ_*` settings besides those every measurement needs. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where to leave CPU profiles, when they are wanted. */
  readonly profileDir?: string | undefined;
}

export class Service {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start({ databasePath, settings, profileDir }: ServiceOptions): Promise<Service> {
    const flags = profileDir === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profileDir];
    const child = spawn(process.execPath, [...flags, join(PROJECT, 'dist/service/cli/main.js'), 'serve'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        CHOKAQ_PORT: '0',
        CHOKAQ_SQLITE_PATH: databasePath,
        CHOKAQ_REQUIRE_REGISTERED_TYPES: 'false',
        ...settings,
      },
    });
    tieToRun(child);
    return new Service(child, await listening(child));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** As an orderly shutdown does it. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** As a power cut does it. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill(signal);
    await gone;
  }

  /** One call to the API; anything but a 2xx is an error of the bench. */
  async call<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: string): Promise<T> {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await request(this.url + path, { method, headers, body: body ?? null });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} → ${answer.statusCode}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
}

/** The URL of the start line; keeps reading afterwards, so that the service never waits for its own log. */
async function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const fail = (why: string) => reject(new Error(`the service did not start (${why}):\n${said}`));
    const timer = setTimeout(() => fail(`nothing after ${START_LIMIT_MS} ms`), START_LIMIT_MS);
    child.once('exit', code => fail(`exit code ${code}`));
    const read = (chunk: Buffer) => {
      if (said.length < 10_000) said += chunk.toString();
      const url = LISTENING.exec(said)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
  });
}
