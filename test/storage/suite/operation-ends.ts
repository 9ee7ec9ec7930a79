// Owns the law of how operations end: failed, cancelled, found among many, and begun by the removal of a handler.
import { expect } from 'vitest';
import type { Job } from '#service/domain/job.js';
import { discard, reject } from '#service/domain/lifecycle.js';
import type { Operation } from '#service/ports/operations.js';
import type { Cursor, Page } from '#service/ports/store.js';
import { die, get, NEW } from './operations.ts';
import { type Law, only, type Stage } from './world.ts';

const REJECTION = { id: 'rejection-1', by: 'ann', owner: 'node-a' } as const;

export function operationEndsLaw(law: Law): void {
  law('All that have not ended are found, page by page, oldest first, however many there are', async stage => {
    const ids = Array.from({ length: 120 }, (_, at) => `operation-${String(at).padStart(3, '0')}`);
    for (const id of ids) {
      if (id.endsWith('0')) stage.advance(5);
      await stage.a.operations.begin({ ...NEW, id });
    }
    await stage.a.operations.cancel('operation-060');
    expect((await unfinished(stage)).map(({ id }) => id)).toEqual(ids.filter(id => id !== 'operation-060'));
  });

  law('A try that met a bug is counted until a batch is done; after the last the operation has failed', async stage => {
    await stage.a.operations.begin(NEW);
    const failure = { id: NEW.id, owner: 'node-a', error: 'no such thing', isLast: false };
    expect(await stage.b.operations.fail({ ...failure, owner: 'node-b' }), 'it has another owner').toBeNull();
    stage.advance(1_000);
    await stage.a.operations.fail(failure);
    const failed = await stage.a.operations.fail(failure);
    expect(failed).toMatchObject({ failures: 2, error: 'no such thing', ended: null, finishedAt: null });
    expect(failed?.movedAt).toBeGreaterThanOrEqual((failed?.startedAt ?? 0) + 1_000);
    const batch = { id: NEW.id, owner: 'node-a', position: null, keyTaken: 0, noHandler: 0, schema: 0 };
    expect(await stage.a.operations.advance({ ...batch, isFinished: false })).toMatchObject({
      failures: 0,
      error: null,
    });
    expect(await stage.a.operations.fail({ ...failure, isLast: true })).toMatchObject({
      ...{ ended: 'failed', error: 'no such thing', failures: 1, finishedAt: expect.any(Number) },
    });
    expect(await stage.a.operations.advance({ ...batch, isFinished: true }), 'it is over').toBeNull();
    expect(await unfinished(stage)).toEqual([]);
  });

  law('Whoever owns it, an operation is cancelled once, and nothing more is moved in its name', async stage => {
    const ids = await die(stage, 2);
    await stage.a.operations.begin(NEW);
    const [first, second] = await Promise.all(ids.map(id => stage.job(id)));
    const purge = (job?: Job) => {
      const move = job && discard(job);
      return stage.a.jobs.apply(move ? [{ ...move, operationId: NEW.id }] : []);
    };
    expect(await purge(first)).toMatchObject([{ held: true }]);
    const cancelled = await Promise.all([stage.b, stage.a].map(node => node.operations.cancel(NEW.id)));
    expect(cancelled.filter(one => one !== null)).toMatchObject([{ ended: 'cancelled', affected: 1 }]);
    expect(await purge(second)).toMatchObject([{ held: false, why: 'lost' }]);
    expect(await get(stage)).toMatchObject({ affected: 1, finishedAt: expect.any(Number) });
    expect((await stage.job(ids[1] ?? '')).state).toBe('dead');
    expect(await stage.a.operations.cancel('nowhere')).toBeNull();
  });

  law('A handler that is removed by force leaves with the rejection of what waits for it', async stage => {
    await stage.fetched();
    await stage.add({}, { due: { inMs: 60_000 } });
    await stage.dead({ type: 'other' });
    const removed = await stage.b.handlers.remove('work.v1', true, REJECTION);
    expect(removed).toMatchObject({
      ...REJECTION,
      action: 'reject',
      total: 3,
      filter: { type: 'work.v1' },
      last: null,
    });
    expect(await unfinished(stage)).toEqual([removed]);
    stage.advance(1_000);
    await stage.addOne();
    const { filter } = only(await unfinished(stage));
    const waiting = await stage.all({ ...filter, states: ['pending', 'scheduled', 'fetched'] });
    expect(waiting, 'not what came later').toHaveLength(3);
    const moves = waiting.map(job => ({ ...reject(job, 'gone'), operationId: REJECTION.id }));
    expect(await stage.a.jobs.apply(moves)).toMatchObject([{ held: true }, { held: true }, { held: true }]);
    expect(await stage.a.operations.get(REJECTION.id)).toMatchObject({ affected: 3 });
    const again = await stage.b.handlers.remove('work.v1', true, { ...REJECTION, id: 'again' });
    expect(again, 'what came later').toMatchObject({ id: 'again', total: 1 });
    expect(await stage.b.handlers.remove('work.v1', false)).toBe('absent');
    expect(await stage.b.handlers.remove('*', true, { ...REJECTION, id: 'no catch-all' })).toBe('absent');
    expect(await stage.b.handlers.remove('idle.v1', true, { ...REJECTION, id: 'nothing waits' })).toBe('absent');
  });

  law('Nothing is rejected that another handler takes, or when nothing waits', async stage => {
    await stage.register('work.v1', 'idle.v1', '*');
    await stage.add({}, { type: 'any.v1' }, { type: 'idle.v1' });
    expect(await stage.a.handlers.remove('work.v1', true, REJECTION)).toBe('removed');
    const removed = await stage.a.handlers.remove('*', true, { ...REJECTION, id: 'all' });
    expect(removed).toMatchObject({ id: 'all', total: 2, filter: { createdBefore: expect.any(Number) } });
    expect((removed as Operation).filter).not.toHaveProperty('type');
    expect(await stage.a.handlers.remove('idle.v1', false, { ...REJECTION, id: 'not forced' })).toBe('in-use');
    expect((await unfinished(stage)).map(({ id }) => id)).toEqual(['all']);
  });
}

async function unfinished(stage: Stage): Promise<readonly Operation[]> {
  const found: Operation[] = [];
  let after: Cursor | null = null;
  do {
    const page: Page<Operation> = await stage.b.operations.unfinished(after);
    found.push(...page.items);
    after = page.next;
  } while (after !== null);
  return found;
}
