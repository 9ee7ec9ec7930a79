// Owns the load on an HTTP API: a fixed number of keep-alive connections, each with one request under way at any moment.
// Written on bare sockets with requests built beforehand, so that it takes as little as possible of the cores it shares.
import { connect, type Socket } from 'node:net';
import { serve } from '../program.ts';
import { quantile } from '../statistics.ts';
import { BATCH_SIZE, batchBody, jobBody } from '../work.ts';

export interface Load {
  readonly url: string;
  readonly what: 'job' | 'batch';
  readonly connections: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const NOTHING = Buffer.alloc(0);
const DISTINCT = { job: 2_000, batch: 20 } as const;

class Connection {
  readonly #socket: Socket;
  readonly #next: () => Buffer | undefined;
  readonly #answered: (tookMs: number) => void;
  #head: Buffer = NOTHING;
  #bodyLeft = 0;
  #sentAt = 0;

  constructor(url: URL, next: () => Buffer | undefined, answered: (tookMs: number) => void) {
    this.#next = next;
    this.#answered = answered;
    this.#socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  }

  /** Resolves when there is nothing more to send and the last answer has arrived. */
  async run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.on('connect', () => this.#send());
      this.#socket.on('error', reject);
      this.#socket.on('close', () =>
        this.#sentAt === 0 ? resolve() : reject(new Error('the server closed a connection')),
      );
      this.#socket.on('data', chunk => {
        try {
          this.#read(chunk);
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #send(): void {
    const request = this.#next();
    this.#sentAt = request === undefined ? 0 : performance.now();
    if (request === undefined) this.#socket.end();
    else this.#socket.write(request);
  }

  #read(chunk: Buffer): void {
    if (this.#bodyLeft > 0) this.#bodyLeft -= chunk.length;
    else if (!this.#readHead(chunk)) return;
    if (this.#bodyLeft > 0) return;
    this.#answered(performance.now() - this.#sentAt);
    this.#send();
  }

  #readHead(chunk: Buffer): boolean {
    const seen = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const end = seen.indexOf('\r\n\r\n');
    this.#head = end < 0 ? seen : NOTHING;
    if (end < 0) return false;
    const head = seen.toString('latin1', 0, end);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (!head.startsWith('HTTP/1.1 2') || length === undefined) throw new Error(seen.toString('utf8', 0, 2_000));
    this.#bodyLeft = Number(length) - (seen.length - end - 4);
    return true;
  }
}

const built = new Map<string, readonly Buffer[]>();

function requests({ url, what }: Load): readonly Buffer[] {
  const { host } = new URL(url);
  const path = what === 'job' ? '/jobs' : '/jobs/batch';
  const key = `${host} ${path}`;
  const known = built.get(key);
  if (known) return known;
  const fresh = Array.from({ length: DISTINCT[what] }, (_, n) => {
    const body = Buffer.from(what === 'job' ? jobBody(n) : batchBody(n * BATCH_SIZE, BATCH_SIZE));
    const head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    return Buffer.concat([Buffer.from(head), body]);
  });
  built.set(key, fresh);
  return fresh;
}

async function load(asked: Load): Promise<LoadResult> {
  const bodies = requests(asked);
  const from = performance.now() + asked.warmUpMs;
  const until = from + asked.durationMs;
  const latencies: number[] = [];
  let sent = 0;
  const next = () => (performance.now() < until ? bodies[sent++ % bodies.length] : undefined);
  const answered = (tookMs: number) => {
    const now = performance.now();
    if (now >= from && now < until) latencies.push(tookMs);
  };
  const connections = Array.from(
    { length: asked.connections },
    () => new Connection(new URL(asked.url), next, answered),
  );
  await Promise.all(connections.map(connection => connection.run()));
  const perSecond = latencies.length / (asked.durationMs / 1_000);
  return { perSecond, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
}

serve(null, load);
