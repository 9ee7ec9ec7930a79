// Owns the proof that the commands work together: lines from `chokaq enqueue` are jobs of `chokaq serve`, byte for byte.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PAYLOADS } from '../fixtures/strings.ts';
import { ServiceProcess } from '../process/fixture/service.ts';
import { chokaq } from './fixture/command.ts';

let folder: string;
let service: ServiceProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chokaq-cli-'));
});

afterEach(async () => {
  await service?.kill();
  rmSync(folder, { recursive: true });
});

it('A10 · lines enqueued from a file are stored byte for byte, told apart from duplicates and from refused ones', async () => {
  service = ServiceProcess.spawn({
    CHOKAQ_SQLITE_PATH: join(folder, 'chokaq.db'),
    CHOKAQ_REQUIRE_REGISTERED_TYPES: 'false',
  });
  const { url } = await service.listening();
  const payloads = Object.values(PAYLOADS).map(payload => payload.replace(/[\r\n]/g, ' ').trim());
  const lines = payloads.map((payload, n) => `{"id":"line-${n}","type":"work.v1","payload":${payload}}`);
  const file = join(folder, 'jobs.ndjson');
  const wrong = ['{"type":"","payload":1}', '{"type":"work.v1"}', '{"id":"line-0","type":"other.v1","payload":1}'];
  writeFileSync(file, [...lines, ...wrong, lines[1], '{"type":"work.v1","payload":1}'].join('\n'));

  const run = await chokaq(['enqueue', '--file', file, '--url', url, '--json']);
  expect(run.code).toBe(1);
  const { stored, duplicates, refused, stopped } = JSON.parse(run.stdout);
  expect({ stored, duplicates, stopped }).toEqual({ stored: lines.length + 1, duplicates: 1, stopped: null });
  expect(refused.map(({ line }: { line: number }) => line - lines.length)).toEqual([1, 2, 3]);

  for (const [n, payload] of payloads.entries()) {
    const { text } = await service.call('GET', `/jobs/line-${n}`);
    expect(text).toContain(`"payload":${payload}`);
  }
  const again = await chokaq(['enqueue', '--url', url, '--json'], { stdin: lines.join('\n') });
  expect(JSON.parse(again.stdout)).toMatchObject({ stored: 0, duplicates: lines.length, refused: [] });
  expect(await service.stop()).toEqual({ code: 0, signal: null });
}, 90_000);
