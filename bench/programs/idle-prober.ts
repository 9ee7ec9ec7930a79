// Owns P5's clock: one process that posts a job and receives its call, so that both instants come from the same clock.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Database from 'better-sqlite3';
import { Pool } from 'undici';
import { serve } from '../program.ts';
import { jobBody, payload } from '../work.ts';

export interface Probe {
  /** Where to enqueue; for the floor, the app that stores nothing. */
  readonly url: string;
  /** `floor`: the same steps one after the other and nothing else: post, one durable commit, one call. */
  readonly kind: 'queue' | 'floor';
  readonly samples: number;
}

const PAUSE_MS = 15;

let onCall: (at: number) => void = () => undefined;
const handler = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  onCall(performance.now());
  request.resume();
  request.on('end', () => response.end('{"ok":true}'));
});

const database = new Database(process.argv[2] ?? '');
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec('CREATE TABLE jobs (id INTEGER PRIMARY KEY, payload BLOB NOT NULL) STRICT');
const insert = database.prepare('INSERT INTO jobs (payload) VALUES (?)');
const pools = new Map<string, Pool>();

async function post(origin: string, path: string, body: string): Promise<void> {
  const pool = pools.get(origin) ?? new Pool(origin, { connections: 1, keepAliveTimeout: 60_000 });
  pools.set(origin, pool);
  const answer = await pool.request({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body });
  await answer.body.dump();
  if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode}`);
}

async function sample({ url, kind }: Probe, n: number): Promise<number> {
  const called = new Promise<number>(resolve => {
    onCall = resolve;
  });
  const from = performance.now();
  const posted = post(url, '/jobs', jobBody(n));
  if (kind === 'floor') {
    await posted;
    insert.run(Buffer.from(payload(n)));
    await post(handlerOrigin(), '/hook', payload(n));
  }
  const tookMs = (await called) - from;
  await posted;
  return tookMs;
}

async function run(probe: Probe): Promise<readonly number[]> {
  const took: number[] = [];
  for (let n = 0; n < probe.samples; n++) {
    took.push(await sample(probe, n));
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
  }
  return took;
}

function handlerOrigin(): string {
  return `http://127.0.0.1:${(handler.address() as AddressInfo).port}`;
}

handler.listen(0, '127.0.0.1', () => serve({ url: `${handlerOrigin()}/hook` }, run));
