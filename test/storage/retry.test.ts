// Owns the proof of the rule for storage faults: how often, after which waits, and what is never tried again.
import { describe, expect, it } from 'vitest';
import { DomainError } from '#service/domain/errors.js';
import { type FaultKind, withRetries } from '#service/storage/retry.js';

class Trial {
  readonly waits: number[] = [];
  readonly seen: boolean[] = [];
  tries = 0;

  run(faults: readonly unknown[], kind: FaultKind, random = 0): Promise<string> {
    const rule = {
      classify: () => kind,
      isOpen: () => false,
      onFault: (_error: unknown, again: boolean) => this.seen.push(again),
      random: () => random,
      wait: async (ms: number) => this.waits.push(ms),
    };
    return withRetries(rule, async () => {
      const fault = faults[this.tries++];
      if (fault !== undefined) throw fault;
      return 'done';
    });
  }
}

const FAULT = new Error('busy');

describe('a passing fault', () => {
  it('D10 · gets up to three more tries, after 200, 400 and 800 ms, and nobody notices', async () => {
    const trial = new Trial();
    expect(await trial.run([FAULT, FAULT, FAULT], 'passing')).toBe('done');
    expect(trial).toMatchObject({ tries: 4, waits: [200, 400, 800], seen: [true, true, true] });
  });

  it('D10 · that stays after four tries is storage-unavailable, with its cause', async () => {
    const trial = new Trial();
    await expect(trial.run([FAULT, FAULT, FAULT, FAULT, FAULT], 'passing')).rejects.toMatchObject({
      code: 'storage-unavailable',
      cause: FAULT,
    });
    expect(trial).toMatchObject({ tries: 4, seen: [true, true, true, false] });
  });

  it('D10 · waits a little longer by chance, so that many do not come back at once', async () => {
    const trial = new Trial();
    await trial.run([FAULT], 'passing', 0.5);
    expect(trial.waits[0]).toBeGreaterThan(200);
    expect(trial.waits[0]).toBeLessThan(400);
  });
});

describe('anything else', () => {
  it('D10 · is storage-unavailable at once when waiting cannot help', async () => {
    const trial = new Trial();
    await expect(trial.run([FAULT], 'lasting')).rejects.toMatchObject({ code: 'storage-unavailable' });
    expect(trial).toMatchObject({ tries: 1, waits: [] });
  });

  it.each([new Error('constraint'), new DomainError('id-conflict', 'no')])(
    'D10 · is shown as it is and not tried again: %s',
    async error => {
      const trial = new Trial();
      await expect(trial.run([error], error instanceof DomainError ? 'passing' : 'bug')).rejects.toBe(error);
      expect(trial).toMatchObject({ tries: 1, waits: [], seen: [] });
    },
  );
});
