// Owns the programs a measurement starts: each in a process of its own, asked by messages, ended with the run.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

interface Reply<T> {
  readonly value?: T;
  readonly error?: string;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Ends `child` with this process, whatever happens. */
export function tieToRun(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

export class Program<Hello, Request, Value> {
  readonly hello: Hello;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, hello: Hello) {
    this.#child = child;
    this.hello = hello;
  }

  /** Starts `programs/<name>`, which says hello once it is ready (see `serve`). */
  static async start<Hello, Request, Value>(
    name: string,
    args: readonly string[] = [],
  ): Promise<Program<Hello, Request, Value>> {
    const child = fork(new URL(`./programs/${name}.js`, import.meta.url), [...args], {
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    tieToRun(child);
    return new Program(child, await nextValue<Hello>(child, name));
  }

  async ask(request: Request): Promise<Value> {
    const reply = nextValue<Value>(this.#child, JSON.stringify(request));
    this.#child.send(request as object);
    return reply;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill();
    await gone;
  }
}

async function nextValue<T>(child: ChildProcess, asked: string): Promise<T> {
  const ended = new AbortController();
  const died = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`a bench program ended with ${code} before it answered ${asked}`);
  });
  const answered = once(child, 'message', { signal: ended.signal }).then(([reply]) => reply as Reply<T>);
  try {
    const reply = await Promise.race([answered, died]);
    if (reply.error !== undefined) throw new Error(`${asked}: ${reply.error}`);
    return reply.value as T;
  } finally {
    ended.abort();
    await Promise.allSettled([answered, died]);
  }
}

/** The child's side: says hello, then answers one request after the other. */
export function serve<Request, Value>(hello: unknown, answer: (request: Request) => Promise<Value>): void {
  process.on('message', (request: Request) => {
    answer(request).then(
      value => process.send?.({ value }),
      (error: unknown) =>
        process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ value: hello });
}
