// Owns the service as a child process: a free port, its start, its return after a sudden death, and a clean stop.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

const USUAL_PORT = 8080;
const MOST_RESTARTS = 5;
const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 30_000;
const KEPT_OUTPUT = 4_000;
const CLI = join(import.meta.dirname, '../../service/cli/main.js');

export class DemoService {
  readonly logFile: string;
  /** Rejects when the service cannot be kept running; never resolves. */
  readonly failed: Promise<never>;
  restarts = 0;
  #fail: (error: Error) => void = () => undefined;
  readonly #folder: string;
  readonly #say: (line: string) => void;
  readonly #log: WriteStream;
  #child: ChildProcess | undefined;
  #url = '';
  #output = '';
  #isUp = false;
  #isStopping = false;

  constructor(folder: string, say: (line: string) => void) {
    this.#folder = folder;
    this.#say = say;
    this.logFile = join(folder, 'service.log');
    this.#log = createWriteStream(this.logFile, { flags: 'a' });
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => undefined);
  }

  get url(): string {
    return this.#url;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves once the service is listening: on the usual port when that is free. */
  async start(): Promise<void> {
    const wanted = this.#url === '' ? USUAL_PORT : Number(new URL(this.#url).port);
    const port = (await isFree(wanted)) ? wanted : 0;
    if (port === 0) this.#say(`port ${wanted} is taken by another program: the service takes a free one`);
    this.#child = this.#spawn(port);
    this.#url = await this.#listening(this.#child);
    this.#isUp = true;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      await exit;
      clearTimeout(limit);
    }
    this.#log.end();
  }

  /** For a second Ctrl-C, and for a demo that dies itself. */
  kill(): void {
    this.#isStopping = true;
    this.#child?.kill('SIGKILL');
  }

  /** In a process group of its own: Ctrl-C reaches the demo alone, which then stops the service in order. */
  #spawn(port: number): ChildProcess {
    const own = {
      CHOKAQ_PORT: String(port),
      CHOKAQ_STORAGE: 'sqlite',
      CHOKAQ_SQLITE_PATH: join(this.#folder, 'chokaq.db'),
    };
    const child = spawn(process.execPath, [CLI, 'serve'], {
      env: { ...process.env, ...own },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => this.#hear(chunk));
    child.once('exit', (code, signal) => this.#ended(signal ?? `exit code ${code}`));
    return child;
  }

  #hear(chunk: Buffer): void {
    this.#log.write(chunk);
    this.#output = (this.#output + chunk.toString('utf8')).slice(-KEPT_OUTPUT);
  }

  #listening(child: ChildProcess): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const [, url] = /listening on (http:\/\/[^\s"]+)/.exec(this.#output) ?? [];
        if (url !== undefined) settle(() => resolve(url));
      };
      const refuse = (why: string) => settle(() => reject(new Error(`the service ${why}; it said:\n${this.#output}`)));
      const gone = () => refuse('ended before it was listening');
      const limit = setTimeout(() => refuse(`did not listen within ${START_LIMIT_MS / 1000} s`), START_LIMIT_MS);
      const settle = (end: () => void) => {
        clearTimeout(limit);
        child.stdout?.off('data', look);
        child.off('close', gone);
        end();
      };
      child.stdout?.on('data', look);
      child.once('close', gone);
    });
  }

  #ended(how: string): void {
    if (!this.#isUp || this.#isStopping) return;
    this.#isUp = false;
    this.#revive(how).catch(error => this.#fail(error));
  }

  /** What we promise to survive: a service that dies in the middle of its work is simply started again. */
  async #revive(how: string): Promise<void> {
    this.#say(`the service died (${how}): starting it again on the same database`);
    for (;;) {
      this.restarts += 1;
      try {
        await this.start();
        return this.#say(`the service is back on ${this.#url} (process ${this.pid})`);
      } catch (error) {
        if (this.#isStopping || this.restarts >= MOST_RESTARTS) throw error;
      }
    }
  }
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise(resolve => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
