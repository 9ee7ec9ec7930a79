// Owns the proof of group commit: what shares a transaction, in which order, how much, and who fails when one breaks it.
import { describe, expect, it } from 'vitest';
import { DomainError } from '#service/domain/errors.js';
import { type BatchLimits, type Settled, type Write, WriteQueue } from '#service/storage/write-queue.js';

interface Named extends Write {
  readonly name: string;
}

const WIDE: BatchLimits = { operations: 100, rows: 100, bytes: 1_000 };

function named(name: string, rows = 1, bytes = 1): Named {
  return { name, rows, bytes };
}

/** A database that is written to when the test says so. */
class Ledger {
  readonly batches: string[][] = [];
  readonly #open: (() => void)[] = [];
  #isManual = false;
  readonly #judge: (batch: readonly Named[]) => readonly Settled<string>[];

  constructor(
    judge = (batch: readonly Named[]): readonly Settled<string>[] => batch.map(({ name }) => ({ result: name })),
  ) {
    this.#judge = judge;
  }

  readonly commit = async (batch: readonly Named[]): Promise<readonly Settled<string>[]> => {
    this.batches.push(batch.map(({ name }) => name));
    if (this.#isManual) await new Promise<void>(resolve => this.#open.push(resolve));
    return this.#judge(batch);
  };

  hold(): this {
    this.#isManual = true;
    return this;
  }

  release(): void {
    this.#open.shift()?.();
  }
}

function queueOver(ledger: Ledger, limits = WIDE): WriteQueue<Named, string> {
  return new WriteQueue<Named, string>(ledger.commit, limits);
}

describe('what shares a transaction', () => {
  it('is everything submitted in one turn, in order, even from an idle queue', async () => {
    const ledger = new Ledger();
    const queue = queueOver(ledger);
    const answers = await Promise.all(['a', 'b', 'c'].map(name => queue.submit(named(name))));
    expect(answers).toEqual(['a', 'b', 'c']);
    expect(ledger.batches).toEqual([['a', 'b', 'c']]);
  });

  it('includes what the promises of that turn submit', async () => {
    const ledger = new Ledger();
    const queue = queueOver(ledger);
    await Promise.all([queue.submit(named('insert')), Promise.resolve().then(() => queue.submit(named('claim')))]);
    expect(ledger.batches).toEqual([['insert', 'claim']]);
  });

  it('forms while the batch before is written, and nothing is answered before its commit', async () => {
    const ledger = new Ledger().hold();
    const queue = queueOver(ledger);
    const answered: string[] = [];
    const submit = (name: string) => queue.submit(named(name)).then(answer => answered.push(answer));
    const all = [submit('a')];
    await expect.poll(() => ledger.batches).toEqual([['a']]);
    all.push(submit('b'), submit('c'));
    await new Promise(setImmediate);
    expect([ledger.batches, answered]).toEqual([[['a']], []]);
    ledger.release();
    await expect.poll(() => ledger.batches).toEqual([['a'], ['b', 'c']]);
    expect(answered).toEqual(['a']);
    ledger.release();
    await Promise.all(all);
    expect(answered).toEqual(['a', 'b', 'c']);
  });

  it('includes what the waiters of the batch before submit when they are answered', async () => {
    const ledger = new Ledger();
    const queue = queueOver(ledger);
    const chain = async (name: string) => {
      await queue.submit(named(`${name}1`));
      await queue.submit(named(`${name}2`));
    };
    await Promise.all([chain('a'), chain('b')]);
    expect(ledger.batches).toEqual([
      ['a1', 'b1'],
      ['a2', 'b2'],
    ]);
  });
});

describe('a batch is bounded', () => {
  it.each([
    ['by operations', { ...WIDE, operations: 2 }],
    ['by rows', { ...WIDE, rows: 6 }],
    ['by bytes', { ...WIDE, bytes: 20 }],
  ])('%s', async (_what, limits) => {
    const ledger = new Ledger();
    const queue = queueOver(ledger, limits);
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(name => queue.submit(named(name, 3, 10))));
    expect(ledger.batches).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  it('but one operation that is larger than all bounds still goes, alone', async () => {
    const ledger = new Ledger();
    const queue = queueOver(ledger, { operations: 10, rows: 5, bytes: 10 });
    await Promise.all([named('a'), named('huge', 50, 500), named('b')].map(operation => queue.submit(operation)));
    expect(ledger.batches).toEqual([['a'], ['huge'], ['b']]);
  });
});

describe('who fails', () => {
  const refusal = new DomainError('id-conflict', 'no');

  it('is the refused one alone, without a second try of the others', async () => {
    const ledger = new Ledger(batch => batch.map(({ name }) => (name === 'b' ? { refusal } : { result: name })));
    const queue = queueOver(ledger);
    const results = await Promise.allSettled(['a', 'b', 'c'].map(name => queue.submit(named(name))));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(ledger.batches).toHaveLength(1);
  });

  it('is the one that breaks the batch: all are written again, one transaction each, in order', async () => {
    const ledger = new Ledger(batch => {
      if (batch.some(({ name }) => name === 'poison')) throw new Error('constraint failed');
      return batch.map(({ name }) => ({ result: name }));
    });
    const queue = queueOver(ledger);
    const results = await Promise.allSettled(['a', 'poison', 'c'].map(name => queue.submit(named(name))));
    expect(results).toMatchObject([{ value: 'a' }, { reason: { message: 'constraint failed' } }, { value: 'c' }]);
    expect(ledger.batches).toEqual([['a', 'poison', 'c'], ['a'], ['poison'], ['c']]);
  });

  it('is everybody when storage is away, without trying each alone; later writes go on', async () => {
    let isAway = true;
    const ledger = new Ledger(batch => {
      if (isAway) throw new DomainError('storage-unavailable', 'away');
      return batch.map(({ name }) => ({ result: name }));
    });
    const queue = queueOver(ledger);
    const results = await Promise.allSettled(['a', 'b'].map(name => queue.submit(named(name))));
    expect(results).toMatchObject([
      { reason: { code: 'storage-unavailable' } },
      { reason: { code: 'storage-unavailable' } },
    ]);
    expect(ledger.batches).toEqual([['a', 'b']]);
    isAway = false;
    expect(await queue.submit(named('c'))).toBe('c');
  });

  it('is one whose answer the database forgot, rather than nobody', async () => {
    const queue = queueOver(new Ledger(() => []));
    await expect(queue.submit(named('a'))).rejects.toThrow('lost the answer');
  });
});

describe('an idle queue', () => {
  it('says so at once, and a busy one once everything is answered', async () => {
    const ledger = new Ledger();
    const queue = queueOver(ledger);
    await queue.idle();
    let answered = 0;
    for (const name of ['a', 'b', 'c']) void queue.submit(named(name)).then(() => answered++);
    await queue.idle();
    expect(answered).toBe(3);
  });
});
