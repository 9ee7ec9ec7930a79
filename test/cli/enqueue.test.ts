// Owns the proof that `chokaq enqueue` sends lines byte for byte, survives what passes, and accounts truly for every line.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PAYLOADS } from '../fixtures/strings.ts';
import { chokaq, type Run, type Surroundings } from './fixture/command.ts';
import { answer, blame, type Script, ScriptedService } from './fixture/scripted-service.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let folder: string;
let service: ScriptedService | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chokaq-cli-'));
});

afterEach(async () => {
  await service?.stop();
  service = undefined;
  rmSync(folder, { recursive: true });
});

async function scripted(script?: Script): Promise<ScriptedService> {
  service = await ScriptedService.start(script);
  return service;
}

async function enqueue(lines: string | Uint8Array, args: readonly string[] = [], surroundings: Surroundings = {}) {
  const file = join(folder, 'jobs.ndjson');
  writeFileSync(file, lines);
  const url = service?.url ?? 'http://127.0.0.1:1';
  return chokaq(['enqueue', '--file', file, '--url', url, ...args], surroundings);
}

const summary = ({ stdout }: Run) => JSON.parse(stdout);
const job = (n: number) => `{"type":"work.v1","payload":{"n":${n}}}`;
const jobs = (count: number) => `${Array.from({ length: count }, (_, n) => job(n)).join('\n')}\n`;

describe('What is sent', () => {
  it('A10 · is each line as it stands, payload bytes and all, with an id written in where there was none', async () => {
    const { posted } = await scripted();
    const payloads = Object.values(PAYLOADS).map(payload => payload.replace(/[\r\n]/g, ' '));
    const run = await enqueue(payloads.map(payload => ` { "payload" : ${payload},"type":"a.v1"}`).join('\n'));
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(new RegExp(`^${payloads.length} stored, 0 duplicates, 0 refused in \\d+\\.\\d s\n$`));
    expect(posted).toHaveLength(1);
    expect(posted[0]).toMatchObject({ path: '/jobs/batch', headers: { 'content-type': 'application/json' } });
    const ids = posted[0]?.jobs.map(({ id }) => id) ?? [];
    const sent = payloads.map((payload, at) => ` {"id":"${ids[at]}", "payload" : ${payload},"type":"a.v1"}`);
    expect(posted[0]?.text === `{"jobs":[${sent.join(',')}]}`).toBe(true);
    for (const id of ids) expect(id).toMatch(UUID_V7);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('keeps the id of a line that has one, however it is spelt', async () => {
    const { posted } = await scripted();
    await enqueue('{"id":"mine","type":"a","payload":1}\n{"type":"a","payload":{"id":1},"\\u0069d":"too"}\n');
    expect(posted[0]?.text).toBe(
      '{"jobs":[{"id":"mine","type":"a","payload":1},{"type":"a","payload":{"id":1},"\\u0069d":"too"}]}',
    );
  });

  it('comes in batches of --batch, in the order of the lines, with blank lines, CRLF and a byte order mark passed over', async () => {
    const { posted } = await scripted();
    const run = await enqueue(`\ufeff${job(0)}\r\n\r\n  \n${jobs(5).replaceAll('\n', '\r\n')}${job(9)}`, [
      '--batch',
      '3',
      '--json',
    ]);
    expect(posted.map(batch => batch.jobs.map(({ payload }) => payload))).toEqual([
      [{ n: 0 }, { n: 0 }, { n: 1 }],
      [{ n: 2 }, { n: 3 }, { n: 4 }],
      [{ n: 9 }],
    ]);
    expect(summary(run)).toEqual({
      stored: 7,
      duplicates: 0,
      refused: [],
      stopped: null,
      durationMs: expect.any(Number),
    });
  });

  it('stays below 16 MB a batch, and what alone is larger is refused without being kept in memory', async () => {
    const { posted } = await scripted();
    const large = (bytes: number) => `{"type":"a","payload":"${'x'.repeat(bytes)}"}\n`;
    const run = await enqueue(large(6_000_000) + large(6_000_000) + large(6_000_000) + large(16_000_000) + large(1), [
      '--json',
    ]);
    expect(posted.map(batch => batch.jobs.length)).toEqual([2, 2]);
    for (const { text } of posted) expect(text.length).toBeLessThanOrEqual(16_000_000);
    expect(run.code).toBe(1);
    expect(summary(run)).toMatchObject({ stored: 4, refused: [{ line: 4, reason: 'longer than 15999900 bytes' }] });
  });

  it('may come from standard input, and goes with the key and to the URL of the environment', async () => {
    const { posted, url } = await scripted();
    const env = { CHOKAQ_URL: `${url}/queue/`, CHOKAQ_API_KEY: 'ck_test' };
    const run = await chokaq(['enqueue', '--json'], { stdin: jobs(3), env });
    expect(run.code).toBe(0);
    expect(posted[0]).toMatchObject({ path: '/queue/jobs/batch', headers: { authorization: 'Bearer ck_test' } });
    expect(posted[0]?.jobs).toHaveLength(3);
  });
});

describe('A8 · What passes is sent again, with the same ids', () => {
  it('after 503 and 429 with Retry-After, and after a connection that broke before the answer', async () => {
    const arrivals: number[] = [];
    const { posted } = await scripted((batch, response, call) => {
      arrivals.push(performance.now());
      if (call === 1) return answer(response, 503, { code: 'storage-unavailable' });
      if (call === 2) return answer(response, 429, {}, { 'retry-after': '2' });
      if (call === 3) return response.destroy() && true;
      return answer(response, 200, { results: batch.jobs.map(({ id }, at) => ({ id, duplicate: at < 2 })) });
    });
    const run = await enqueue(`${jobs(2)}{"id":"mine","type":"a","payload":1}\n`, ['--json']);
    expect((arrivals[2] ?? 0) - (arrivals[1] ?? 0)).toBeGreaterThan(1_950);
    expect(posted).toHaveLength(4);
    for (const { text } of posted) expect(text).toBe(posted[0]?.text);
    expect(run.code).toBe(0);
    // The first two were stored by the try whose answer was lost: their ids are ours.
    expect(summary(run)).toMatchObject({ stored: 3, duplicates: 0, refused: [], stopped: null });
    expect(run.stderr).toContain('answered 503; trying again');
    expect(run.stderr).toContain('answered 429; trying again');
  });

  it('until --retry-for is up; then what is not known to be stored is told', async () => {
    const { posted } = await scripted((_, response, call) => call > 1 && answer(response, 503, {}));
    const run = await enqueue(jobs(25), ['--batch', '10', '--retry-for', '600ms', '--json']);
    expect(run.code).toBe(1);
    expect(posted.length).toBeGreaterThan(2);
    expect(posted.at(-1)?.jobs[0]?.payload).toEqual({ n: 10 });
    const { stored, stopped } = summary(run);
    expect(stored).toBe(10);
    expect(stopped).toEqual({
      reason: expect.stringMatching(/answered 503; gave up \(--retry-for 600ms\)$/),
      unsettled: { from: 11, to: 20, jobs: 10 },
    });
  });

  it('and an interrupted run says where it stopped', async () => {
    let interrupt = () => {};
    await scripted((_, __, call) => {
      if (call === 1) return false;
      interrupt();
      return true;
    });
    const run = await enqueue(jobs(4), ['--batch', '2'], {
      onStart: child => {
        interrupt = () => void child.kill('SIGINT');
      },
    });
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(
      /^2 stored, .*\nStopped: interrupted\.\nOf the lines 3 to 4, 2 are not known to be stored/,
    );
  });
});

describe('A9 · A refused line is told with its reason, and the others of its batch are stored', () => {
  it('when the service points at it', async () => {
    const { posted } = await scripted((batch, response) => {
      const bad = batch.jobs.findIndex(({ type }) => type === 'bad');
      if (bad < 0) return false;
      return blame(response, 422, { [`#/jobs/${bad}/type`]: 'has no handler', [`#/jobs/${bad}`]: 'is odd' });
    });
    const run = await enqueue(`${job(1)}\n{"type":"bad","payload":1}\n${job(3)}\n{"type":"bad","payload":2}\n`);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(
      /^2 stored, 0 duplicates, 2 refused in .* s\n {2}line 2: type has no handler; is odd\n {2}line 4: type has no handler; is odd\n$/,
    );
    expect(posted.map(batch => batch.jobs.length)).toEqual([4, 3, 2]);
  });

  it('when the service points at nothing: the batch is halved until it is found', async () => {
    await scripted((batch, response) => {
      const isBad = batch.jobs.some(({ payload }) => (payload as { n: number }).n === 6);
      return isBad && answer(response, 413, { code: 'payload-too-large', detail: 'Too large for the proxy.' });
    });
    const run = await enqueue(jobs(11), ['--json']);
    expect(summary(run)).toMatchObject({ stored: 10, refused: [{ line: 7, reason: 'Too large for the proxy.' }] });
  });

  it('when it is no JSON object: it is not even sent', async () => {
    const { posted } = await scripted();
    const broken = ['{"type":"a"', '[1]', 'null', '"text"', '{"a":1}{"b":2}'];
    const lines = Buffer.concat([Buffer.from(`${job(1)}\n${broken.join('\n')}\n`), Buffer.from([0x22, 0xff, 0x22])]);
    const run = await enqueue(lines, ['--json']);
    expect(run.code).toBe(1);
    expect(summary(run).stored).toBe(1);
    expect(summary(run).refused.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4, 5, 6, 7]);
    expect(posted.map(batch => batch.jobs.length)).toEqual([1]);
  });

  it('duplicates are counted apart', async () => {
    await scripted((_, response) =>
      answer(response, 200, {
        results: [
          { id: 'other', duplicate: true },
          { id: 'mine', duplicate: true },
        ],
      }),
    );
    const run = await enqueue(`{"type":"a","idempotencyKey":"k","payload":1}\n{"type":"a","id":"mine","payload":1}\n`);
    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^0 stored, 2 duplicates, 0 refused/) });
  });
});

describe('What cannot work', () => {
  it('stops at once when every batch would meet it', async () => {
    const { posted } = await scripted((_, response) =>
      answer(response, 401, { code: 'unauthorized', detail: 'Send a valid API key.' }),
    );
    const run = await enqueue(jobs(4), ['--batch', '2']);
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('Stopped: the service answered 401: Send a valid API key.');
    expect(run.stdout).toContain('lines 1 to 2');
    expect(posted).toHaveLength(1);
  });

  it('is noticed when something else answers', async () => {
    await scripted((_, response) => answer(response, 200, { hello: 'world' }));
    expect(await enqueue(jobs(1))).toMatchObject({ code: 1, stdout: expect.stringContaining('is not one of ChokaQ') });
  });

  it.each([
    [['--batch', '0'], '--batch'],
    [['--batch', '1001'], '--batch'],
    [['--retry-for', 'soon'], '--retry-for'],
    [['--url', 'ftp://127.0.0.1'], '--url'],
    [['--file', '/no/such/file'], '/no/such/file cannot be read'],
    [['--file', '/'], '/ cannot be read'],
    [['--files', 'x'], '--files'],
  ])('%j is refused with exit code 2', async (args, named) => {
    const run = await chokaq(['enqueue', ...args]);
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(named) });
  });
});
