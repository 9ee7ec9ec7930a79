// Owns the proof of what happens when two enqueues, or two runs, are the same one.
import { describe, expect, it } from 'vitest';
import { admitRun, clashOf, type Encounter, meetById, meetByKey, postponeMs } from '#service/domain/idempotency.js';
import type { HotState, OnConflict } from '#service/domain/job.js';
import { type JobFields, newJob } from '../fixtures/jobs.ts';

const STORED = { queue: 'default', type: 'work.v1', payloadHash: newJob().payloadHash, creatorKeyId: null };
const OTHERS = [{ json: '{"n":2}' }, { json: '{ "n":1}' }];
const ELSEWHERE = [{ type: 'other.v1' }, { type: 'Work.v1' }, { queue: 'other' }];

describe('a new job with the id of a stored one', () => {
  it('A8 · is a duplicate when type, queue and payload are the same, whatever else differs', () => {
    expect(meetById(newJob(), STORED)).toBe('duplicate');
    expect(meetById(newJob({ priority: 1, tags: ['x'], onConflict: 'replace', due: { inMs: 9 } }), STORED)).toBe(
      'duplicate',
    );
  });

  it.each([...OTHERS, ...ELSEWHERE])('A8 · is a conflict with %j', other => {
    for (const onConflict of ['refuse', 'keep', 'replace', 'wait'] as const)
      expect(meetById(newJob({ ...other, onConflict }), STORED)).toBe('other-content');
  });

  it('is a conflict when one hash is the beginning of the other', () => {
    expect(meetById(newJob(), { ...STORED, payloadHash: STORED.payloadHash.slice(0, 8) })).toBe('other-content');
    expect(meetById({ ...newJob(), payloadHash: new Uint8Array() }, STORED)).toBe('other-content');
  });
});

describe('a new job with the key of an active one', () => {
  const SAME: Record<OnConflict, Encounter> = {
    refuse: 'duplicate',
    keep: 'duplicate',
    replace: 'duplicate',
    wait: 'store',
  };
  const PENDING: Record<OnConflict, Encounter> = {
    refuse: 'key-held',
    keep: 'duplicate',
    replace: 'replace',
    wait: 'store',
  };
  const CLAIMED: Record<OnConflict, Encounter> = { ...PENDING, replace: 'claimed' };
  const TABLE: Record<HotState, Record<OnConflict, Encounter>> = {
    pending: PENDING,
    fetched: CLAIMED,
    processing: CLAIMED,
  };

  for (const [state, row] of Object.entries(TABLE) as [HotState, Record<OnConflict, Encounter>][])
    for (const [onConflict, encounter] of Object.entries(row) as [OnConflict, Encounter][]) {
      it(`H1 · with the same content and ${onConflict}, the first ${state} → ${SAME[onConflict]}`, () => {
        expect(meetByKey(newJob({ onConflict }), { ...STORED, state })).toBe(SAME[onConflict]);
      });

      it(`H2 · with another payload and ${onConflict}, the first ${state} → ${encounter}`, () => {
        for (const other of OTHERS)
          expect(meetByKey(newJob({ ...other, onConflict }), { ...STORED, state })).toBe(encounter);
      });
    }

  it.each(ELSEWHERE)('H2 · of another type or queue (%j) is refused, and cannot replace what it is not', other => {
    for (const state of ['pending', 'fetched', 'processing'] as const) {
      const meet = (onConflict: OnConflict) => meetByKey(newJob({ ...other, onConflict }), { ...STORED, state });
      expect([meet('refuse'), meet('replace')]).toEqual(['key-held', 'key-held']);
      expect([meet('keep'), meet('wait')]).toEqual(['duplicate', 'store']);
    }
  });
});

describe('a new job with the key of an active one that another API key made', () => {
  const meet = (fields: JobFields, state: HotState = 'pending') =>
    meetByKey(newJob({ creatorKeyId: 'mine', seesAll: false, ...fields }), {
      ...STORED,
      creatorKeyId: 'theirs',
      state,
    });

  it('H1 · is a duplicate when the content is the same', () => {
    for (const onConflict of ['refuse', 'keep', 'replace'] as const) expect(meet({ onConflict })).toBe('duplicate');
  });

  it('H2 · never replaces it, in whatever state, whoever may read it', () => {
    for (const state of ['pending', 'fetched', 'processing'] as const)
      for (const other of [...OTHERS, ...ELSEWHERE])
        for (const seesAll of [true, false])
          expect(meet({ ...other, seesAll, onConflict: 'replace' }, state)).toBe('foreign');
  });

  it('H2 · keeps one that it could not name only for who may read it', () => {
    for (const other of OTHERS) expect(meet({ ...other, onConflict: 'keep' })).toBe('duplicate');
    for (const other of ELSEWHERE) {
      expect(meet({ ...other, onConflict: 'keep' })).toBe('key-held');
      expect(meet({ ...other, onConflict: 'keep', seesAll: true })).toBe('duplicate');
    }
  });

  it('H2 · is told which one only when it may read it', () => {
    const stored = { id: 'secret-1', creatorKeyId: 'theirs' };
    for (const clash of ['key-held', 'claimed', 'foreign'] as const) {
      const said = (fields: JobFields) => JSON.stringify(clashOf(clash, newJob(fields), stored, '#'));
      const text = (fields: JobFields) => `${clashOf(clash, newJob(fields), stored, '#').message} ${said(fields)}`;
      expect(text({ creatorKeyId: 'mine', seesAll: false })).not.toContain('secret-1');
      expect(text({ creatorKeyId: 'mine', seesAll: true })).toContain('secret-1');
      expect(text({ creatorKeyId: 'theirs', seesAll: false })).toContain('secret-1');
    }
  });
});

describe('a job before its run under a key with a result TTL', () => {
  const done = { state: 'completed', jobId: 'first', expiresAt: 1_000 } as const;
  const held = { state: 'in-progress', jobId: 'first', expiresAt: 1_000 } as const;

  it('H4 · runs when nobody holds the key, or what held it has expired', () => {
    expect(admitRun('second', null, 999)).toEqual({ kind: 'run' });
    expect(admitRun('second', done, 1_000)).toEqual({ kind: 'run' });
    expect(admitRun('second', held, 1_000)).toEqual({ kind: 'run' });
  });

  it('H4 · is a duplicate while the marker lives, and waits while another runs', () => {
    expect(admitRun('second', done, 999)).toEqual({ kind: 'duplicate' });
    expect(admitRun('second', held, 999)).toEqual({ kind: 'postpone' });
  });

  it('H5 · enters its own claim again', () => {
    expect(admitRun('first', held, 999)).toEqual({ kind: 'run' });
    expect(admitRun('first', done, 999)).toEqual({ kind: 'duplicate' });
  });

  it('H4 · looks again after 1 to 30 s, later the longer it has been due', () => {
    expect([-5, 0, 999, 1_000, 7_000, 30_000, 1e12].map(postponeMs)).toEqual([
      1_000, 1_000, 1_000, 1_000, 7_000, 30_000, 30_000,
    ]);
  });
});
