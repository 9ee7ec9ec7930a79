// Owns the law of exactness: payloads byte for byte, names of any script, comparison that folds nothing, any time zone.
import { expect } from 'vitest';
import { resurrect } from '#service/domain/lifecycle.js';
import { bytes, FATAL, newJob, newJobs, RETRYABLE, SUCCEEDED } from '../../fixtures/jobs.ts';
import { deepJson, LONG_NAMES, LOOKALIKES, megabyteJson, PAYLOADS } from '../../fixtures/strings.ts';
import { type Law, only, type Stage } from './world.ts';

export function textsLaw(law: Law): void {
  law(
    'A10 · Every payload comes back byte for byte: stored, claimed, retried, dead, resurrected, archived',
    async stage => {
      await stage.register();
      for (const [what, json] of Object.entries(PAYLOADS)) await journey(stage, what, json);
    },
    60_000,
  );

  law('A10 · A payload of 1 000 000 bytes and one 100 000 levels deep come back byte for byte', async stage => {
    await stage.register();
    expect(Buffer.byteLength(megabyteJson())).toBe(1_000_000);
    await journey(stage, 'a megabyte', megabyteJson());
    await journey(stage, 'depth', deepJson());
  });

  law('A10 · All payloads of one batch and one claim stay with their jobs', async stage => {
    await stage.register();
    const texts = Object.values(PAYLOADS);
    const jobs = newJobs(texts.length, i => ({ json: texts[i] ?? '' }));
    await stage.a.jobs.insert(jobs);
    const claimed = await stage.claim({}, stage.b);
    expect(claimed.map(({ payload }) => Buffer.from(payload).toString())).toEqual(texts);
    const page = await stage.b.jobs.list({}, { order: 'created', limit: 100, after: null, withPayload: true });
    expect(page.items.map(({ payload }) => Buffer.from(payload ?? []).toString()).reverse()).toEqual(texts);
  });

  law('A2 · Names of 255 code points of any script pass and come back equal', async stage => {
    await stage.register(...Object.values(LONG_NAMES));
    for (const [script, name] of Object.entries(LONG_NAMES)) {
      const { id } = await stage.addOne({
        queue: name,
        type: name,
        idempotencyKey: name,
        createdBy: name.slice(0, 100),
      });
      expect(await stage.job(id), script).toMatchObject({ queue: name, type: name, idempotencyKey: name });
      expect(await stage.b.queues.get(name), script).toMatchObject({ name, counts: { pending: 1 } });
      expect(await stage.all({ queue: name, type: name }), script).toHaveLength(1);
    }
    const claimed = await stage.claim();
    expect(new Set(claimed.map(({ type }) => type))).toEqual(new Set(Object.values(LONG_NAMES)));
  });

  law('Names that look alike are different queues, types, keys, tags and handlers', async stage => {
    for (const [one, two] of LOOKALIKES) {
      await stage.register(one);
      const [first, second] = await stage.add(
        { queue: one, type: one, idempotencyKey: one, tags: [one] },
        { queue: two, type: two, idempotencyKey: two, tags: [two] },
      );
      expect(second?.id).not.toBe(first?.id);
      for (const filter of [{ queue: one }, { type: one }, { tag: one }])
        expect(
          (await stage.all(filter)).map(({ id }) => id),
          one,
        ).toContain(first?.id);
      for (const filter of [{ queue: one }, { type: one }, { tag: one }])
        expect(
          (await stage.all(filter)).map(({ id }) => id),
          one,
        ).not.toContain(second?.id);
      expect(
        (await stage.claim()).map(({ type }) => type),
        one,
      ).not.toContain(two);
    }
  });

  law('Tags with commas, quotes and brackets are themselves', async stage => {
    const tags = ['a,b', '"', "'", '[', ']', '\\', '%', '_', 'é🎉', 'a', 'b', ' ', 'null'];
    const { id } = await stage.addOne({ tags });
    expect(await stage.job(id)).toMatchObject({ tags });
    for (const tag of tags) expect(await stage.all({ tag }), tag).toHaveLength(1);
    for (const tag of ['a,', ',', '"a"', 'a","b', '']) expect(await stage.all({ tag }), tag).toHaveLength(0);
  });

  law('D11 · Answers and errors of any script and of full length are kept as they were given', async stage => {
    const given = { responseStatus: 500, responseBody: '漢'.repeat(1_365), error: `${'é🎉\n'.repeat(300)}'"\\` };
    const running = await stage.running();
    await stage.finish(running, { ...RETRYABLE, ...given });
    expect(await stage.job(running.id)).toMatchObject({ lastResponseBody: given.responseBody, lastError: given.error });
    expect(only(await stage.a.jobs.attempts(running.id))).toMatchObject(given);
    await stage.finish(await stage.runAgain(running.id), { ...FATAL, ...given });
    expect(await stage.job(running.id)).toMatchObject({
      state: 'dead',
      lastResponseBody: given.responseBody,
      lastError: given.error,
    });
  });

  law('K5 · Instants are the same in every time zone', async stage => {
    const zone = process.env.TZ;
    try {
      for (const tz of ['Asia/Tokyo', 'America/St_Johns', 'Pacific/Apia']) {
        process.env.TZ = tz;
        const at = Date.UTC(2044, 1, 29, 23, 59, 59, 999);
        const { id } = await stage.addOne({ due: { at } });
        expect(await stage.job(id)).toMatchObject({ dueAt: at, firstDueAt: at });
        expect(Math.abs((await stage.job(id)).createdAt - stage.a.clock.now())).toBeLessThan(60_000);
      }
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
}

/** Through every table and back; the payload is compared wherever it can be read. */
async function journey(stage: Stage, what: string, json: string): Promise<void> {
  const sent = Buffer.from(bytes(json));
  const same = (content: Uint8Array | null) => expect(Buffer.from(content ?? []).equals(sent), what).toBe(true);
  const job = newJob({ payload: sent });
  await stage.a.jobs.insert([job]);
  same((await stage.job(job.id)).payload);
  const first = await stage.runAgain(job.id);
  same(first.payload);
  await stage.finish(first, RETRYABLE);
  const second = await stage.runAgain(job.id);
  same(second.payload);
  await stage.finish(second, FATAL);
  const dead = await stage.job(job.id);
  same(dead.payload);
  await stage.apply(resurrect(dead, {}, 'ops'));
  await stage.finish(await stage.runAgain(job.id), SUCCEEDED);
  same((await stage.job(job.id)).payload);
  expect(only(await stage.b.jobs.insert([job])), what).toMatchObject({ duplicate: true });
}
