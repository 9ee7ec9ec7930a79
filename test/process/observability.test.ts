// Owns the proof that what operators look at is there and is right: metrics, log, rules and dashboard of a service at work, read by the real Prometheus.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CATALOGUE, type Metric } from '#service/metrics/catalogue.js';
import { page } from '../docs/fixture/page.ts';
import { freePort } from '../docs/fixture/shell.ts';
import { type Sample, samplesIn } from '../metrics/fixture/measured.ts';
import { exercise, PRIVATE, startAfterCrash } from './fixture/exercise.ts';
import { DEPLOY, hasPrometheus, Prometheus } from './fixture/prometheus.ts';
import type { ServiceProcess } from './fixture/service.ts';
import { eventually, World } from './fixture/world.ts';

const HAS_PROMETHEUS = hasPrometheus();
const CATALOGUED: readonly Metric[] = Object.values(CATALOGUE);

let world: World;
let service: ServiceProcess;
let prometheus: Prometheus | undefined;

beforeAll(async () => {
  world = await World.create();
  const port = await freePort();
  if (HAS_PROMETHEUS) prometheus = await Prometheus.start(`127.0.0.1:${port}`);
  service = await startAfterCrash(world, { CHOKAQ_PORT: String(port) });
  await exercise(world, service);
});
afterAll(async () => {
  await prometheus?.stop();
  await world.end();
});

async function exposed(): Promise<{ readonly samples: Sample[]; readonly types: Map<string, string> }> {
  const { text } = await service.call('GET', '/metrics');
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', kind = '']) => [name, kind] as const);
  return { samples: samplesIn(text), types: new Map(types) };
}

test('J1 · /metrics has every metric of the catalogue, of its kind and with its labels, and no other', async () => {
  const { samples, types } = await exposed();
  const own = [...types].filter(([name]) => name.startsWith('chokaq_'));
  expect(Object.fromEntries(own)).toEqual(Object.fromEntries(CATALOGUED.map(({ name, kind }) => [name, kind])));
  for (const { name, kind, labels } of CATALOGUED) {
    const series = samples.filter(sample => sample.name === (kind === 'histogram' ? `${name}_count` : name));
    expect(series.length, `${name} is dead`).toBeGreaterThan(0);
    for (const one of series) expect(Object.keys(one.labels).sort(), name).toEqual([...labels].sort());
  }
});

test('J1 · docs/metrics.md names what is emitted, and nothing else', async () => {
  const documented = page('docs/metrics.md').mentions(/^\| `chokaq_\w+`/gm);
  const emitted = [...(await exposed()).types.keys()].filter(name => name.startsWith('chokaq_'));
  expect(documented.map(row => row.slice(3, -1)).sort()).toEqual(emitted.sort());
});

test('J1 · deaths are counted by the reason that the jobs have in the DLQ', async () => {
  const { samples } = await exposed();
  const counted = samples.filter(({ name }) => name === 'chokaq_jobs_dlq_total');
  const of = (reason: string) =>
    counted.filter(({ labels }) => labels.reason === reason).reduce((sum, { value }) => sum + value, 0);
  expect(of('MaxRetriesExceeded')).toBe(1);
  expect(of('Zombie')).toBe(1);
  expect(of('FatalError')).toBeGreaterThanOrEqual(4);
  const recovered = samples.filter(({ name }) => name === 'chokaq_recovered_jobs_total');
  expect(recovered.map(({ labels, value }) => [labels.kind, value])).toEqual(
    expect.arrayContaining([
      ['fetched', 1],
      ['zombie', 1],
    ]),
  );
});

test('the log has neither payloads nor secrets, and its lines are numbered as documented', async () => {
  const { secret } = (await service.call('PUT', '/handlers/fresh.v1', { url: world.handlers.url })).json;
  expect(secret).toMatch(/^whsec_/);
  expect(service.output).not.toContain(PRIVATE);
  expect(service.output).not.toContain('whsec_');
  const documented = page('docs/log-events.md').mentions(/^\| \d{4} \| `\w+`/gm);
  const lines = service.output.split('\n').filter(line => line.startsWith('{'));
  for (const { eventId, event } of lines.map(line => JSON.parse(line)))
    expect(documented).toContain(`| ${eventId} | \`${event}\``);
  expect(lines.length).toBeGreaterThan(20);
});

if (HAS_PROMETHEUS) {
  const rules = join(DEPLOY, 'prometheus');

  test.each([
    ['check', 'rules', 'chokaq.rules.yml'],
    ['check', 'config', 'prometheus.yml'],
    ['test', 'rules', 'chokaq.rules.test.yml'],
  ])('promtool %s %s %s', (...args) => {
    expect(execFileSync('promtool', args, { cwd: rules, encoding: 'utf8' })).toContain('SUCCESS');
  });

  const dashboard = JSON.parse(readFileSync(join(DEPLOY, 'grafana/chokaq.json'), 'utf8')) as {
    readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
  };
  const queries = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));

  test.each(queries)('the dashboard has data: $title: $expr', async ({ expr }) => {
    const query = expr.replaceAll('$__rate_interval', '1m');
    const found = await eventually(async () => {
      const results = await prometheus?.query(query);
      expect(results?.some(({ value }) => Number.isFinite(value))).toBe(true);
      return results;
    });
    expect(found).not.toEqual([]);
  });

  test('every alert of the specification is shipped, has a runbook under its name, and is silent or fires for a reason', async () => {
    const alerts = readFileSync(join(rules, 'chokaq.rules.yml'), 'utf8').match(/(?<=alert: )\w+/g) ?? [];
    expect(alerts).toHaveLength(7);
    expect(page('docs/operations.md').headings).toEqual(expect.arrayContaining([...alerts]));
    // A scrape that was late while storage was locked is made up for by the next one.
    await eventually(async () => {
      const firing = (await prometheus?.firing())?.map(({ alertname }) => alertname);
      expect(firing).toEqual(expect.arrayContaining(['ChokaQCircuitOpen', 'ChokaQDlqRate']));
      expect(firing).not.toContain('ChokaQNoLiveWorker');
    });
  });

  test('from the alert on deaths to the responsible job type in the three steps of its runbook', async () => {
    const alert = await eventually(async () => {
      const found = (await prometheus?.firing())?.find(({ alertname }) => alertname === 'ChokaQDlqRate');
      expect(found).toMatchObject({ queue: 'mail' });
      return found;
    });
    const [query = '', read = ''] = page('docs/operations.md')
      .blocks.filter(({ under }) => under === 'ChokaQDlqRate')
      .map(({ text }) => text.replaceAll('default', alert?.queue ?? ''));
    const [worst] = (await prometheus?.query(query)) ?? [];
    expect(worst?.metric).toMatchObject({ type: 'wrong.v1', reason: 'FatalError' });
    const [, path = ''] = /8080(\/\S+?)'/.exec(read) ?? [];
    const { items } = await service.read(path.replace('invoice.send.v1', worst?.metric.type ?? ''));
    expect(items[0]).toMatchObject({ type: 'wrong.v1', failureReason: 'FatalError', lastResponseStatus: 422 });
  });
}
