// Owns the near side of a storage thread: requests out, answers in, a new thread when one dies.
import { Worker } from 'node:worker_threads';
import type { DomainError } from '../../domain/errors.ts';
import { SchemaRefusal } from '../migrate.ts';
import { MEMORY } from './connection.ts';
import { type Parcel, pack, transferable, unpack } from './parcel.ts';
import {
  CLOSE,
  type Greeting,
  MEMORY_LOST,
  type Request,
  type Response,
  receiveRefusal,
  type SentFault,
  THREAD_CLOSED,
  THREAD_LOST,
  ThreadFault,
  type ThreadStart,
} from './protocol.ts';

const WORKER = new URL('./worker.js', import.meta.url);
export interface Asked {
  readonly verb: string;
  readonly input: unknown;
  readonly parts: readonly Uint8Array[];
}

export type Answered = { readonly parcel: Parcel<unknown> } | { readonly refusal: DomainError };

interface Waiter {
  resolve(answers: readonly Answered[]): void;
  reject(error: unknown): void;
}

export class Thread {
  readonly #start: ThreadStart;
  readonly #waiters = new Map<number, Waiter>();
  #worker: Promise<Worker> | null = null;
  #applied: readonly string[] = [];
  #nextId = 1;
  #isClosing = false;
  #isMemoryLost = false;

  constructor(start: ThreadStart) {
    this.#start = start;
  }

  /** Resolves when the database is open and, for a writer, has its schema; answers what was applied to it. */
  async open(): Promise<readonly string[]> {
    await this.#running();
    return this.#applied;
  }

  /**
   * Runs the calls in order in one transaction, at the time `now` of the database (epoch ms). `tried` are the times of earlier
   * tries that may have been committed although their answer was lost.
   */
  async ask(now: number, calls: readonly Asked[], tried: readonly number[] = []): Promise<readonly Answered[]> {
    const worker = await this.#running();
    const id = this.#nextId++;
    const block = pack(calls.flatMap(({ parts }) => parts));
    const request: Request = {
      id,
      now,
      tried,
      calls: calls.map(({ verb, input, parts }) => ({ verb, input, parts: parts.length })),
      block,
    };
    return new Promise((resolve, reject) => {
      this.#waiters.set(id, { resolve, reject });
      worker.postMessage(request, transferable(block));
    });
  }

  /** Lets the thread finish what it does, close its database and go. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const worker = await this.#worker?.catch(() => null);
    if (!worker) return;
    const gone = new Promise(resolve => worker.once('exit', resolve));
    worker.postMessage(CLOSE);
    await gone;
  }

  #running(): Promise<Worker> {
    if (this.#isClosing) return Promise.reject(lost(THREAD_CLOSED, 'the store was closed'));
    if (this.#isMemoryLost) return Promise.reject(lost(MEMORY_LOST, 'the memory database died with its thread'));
    this.#worker ??= this.#spawn();
    return this.#worker;
  }

  #spawn(): Promise<Worker> {
    const worker = new Worker(WORKER, { workerData: this.#start });
    const running = new Promise<Worker>((resolve, reject) => {
      worker.once('message', (greeting: Greeting) => {
        worker.on('message', (response: Response) => this.#receive(response));
        if ('fault' in greeting) {
          reject(faultFrom(greeting.fault));
          void worker.terminate();
        } else {
          this.#applied = greeting.applied;
          resolve(worker);
        }
      });
      let cause: Error | null = null;
      worker.once('error', error => {
        cause = error;
      });
      worker.once('exit', () => {
        const error = lost(THREAD_LOST, cause?.message ?? 'the storage thread ended');
        reject(error);
        this.#lose(running, error);
      });
    });
    return running;
  }

  #receive(response: Response): void {
    const waiter = this.#waiters.get(response.id);
    this.#waiters.delete(response.id);
    if ('fault' in response) waiter?.reject(faultFrom(response.fault));
    else waiter?.resolve(answersFrom(response));
  }

  #lose(running: Promise<Worker>, error: ThreadFault): void {
    if (this.#worker === running) this.#worker = null;
    if (this.#start.path === MEMORY && !this.#isClosing) this.#isMemoryLost = true;
    for (const waiter of this.#waiters.values()) waiter.reject(error);
    this.#waiters.clear();
  }
}

function answersFrom({ answers, block }: Extract<Response, { readonly block: unknown }>): Answered[] {
  const parts = unpack(block);
  let at = 0;
  return answers.map(answer => {
    if ('refusal' in answer) return { refusal: receiveRefusal(answer.refusal) };
    at += answer.parts;
    return { parcel: { body: answer.body, parts: parts.slice(at - answer.parts, at) } };
  });
}

function lost(code: string, message: string): ThreadFault {
  return new ThreadFault({ name: 'ThreadFault', message, code, stack: null });
}

function faultFrom(fault: SentFault): Error {
  return fault.name === 'SchemaRefusal' ? new SchemaRefusal(fault.message) : new ThreadFault(fault);
}
