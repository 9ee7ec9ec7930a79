// Owns the proof that log lines are stable for those who alert on them, and hold neither payloads nor secrets.
import { describe, expect, it } from 'vitest';
import { createLog, EVENTS } from '#service/log.js';

function logged(level: Parameters<typeof createLog>[0], say: (log: ReturnType<typeof createLog>) => void) {
  const lines: string[] = [];
  say(createLog(level, { write: line => void lines.push(line) }));
  return lines.map(line => JSON.parse(line) as Record<string, unknown>);
}

/** What alerts and dashboards rely on: a number once given is never changed nor given again. */
const RANGES: Record<string, RegExp> = {
  service: /^10\d\d$/,
  execution: /^20\d\d$/,
  transition: /^21\d\d$/,
  others: /^[3-6]0\d\d$/,
};

describe('Events', () => {
  it('have numbers of their own, in the documented ranges', () => {
    const ids = Object.values(EVENTS).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids)
      expect(
        Object.values(RANGES).some(range => range.test(String(id))),
        String(id),
      ).toBe(true);
  });

  it('are one JSON line each, with number, name, fields and a sentence', () => {
    const [line] = logged('info', log => log.event('jobBuried', { jobId: 'j1', reason: 'Timeout' }));
    expect(line).toMatchObject({
      level: 'warn',
      eventId: 2101,
      event: 'jobBuried',
      jobId: 'j1',
      reason: 'Timeout',
      msg: 'job j1 is dead: Timeout',
    });
    expect(line?.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('the line of a ready service holds its URL', () => {
    const [line] = logged('info', log => log.event('serviceListening', { url: 'http://127.0.0.1:8080' }));
    expect(line?.msg).toContain('listening on http://127.0.0.1:8080');
  });

  it('below the level are not written', () => {
    const say = (log: ReturnType<typeof createLog>) => {
      log.event('attemptStarted', { jobId: 'j1' });
      log.event('jobRetried', { jobId: 'j1' });
      log.event('leaseLost', { jobId: 'j1' });
      log.event('storageFailed');
    };
    expect(logged('debug', say)).toHaveLength(4);
    expect(logged('info', say)).toHaveLength(3);
    expect(logged('warn', say)).toHaveLength(2);
    expect(logged('error', say)).toHaveLength(1);
    expect(logged('silent', say)).toHaveLength(0);
  });

  it('leave out payloads and secrets, and of an error everything but what it says', () => {
    const err = Object.assign(new Error('insert failed', { cause: new TypeError('disk full') }), {
      code: 'SQLITE_FULL',
      parameters: ['s3cret'],
    });
    const [line] = logged('info', log =>
      log.event('storageFailed', { err, payload: 's3cret', secret: 's3cret', authorization: 's3cret', jobId: 'j1' }),
    );
    expect(JSON.stringify(line)).not.toContain('s3cret');
    expect(line).toMatchObject({
      jobId: 'j1',
      err: { type: 'Error', code: 'SQLITE_FULL', message: 'insert failed: disk full' },
    });
  });

  it('survive whatever is thrown', () => {
    const circular = new Error('round');
    circular.cause = circular;
    const lines = logged('info', log => {
      for (const err of ['text', null, undefined, { odd: 1 }, circular, Object.create(null)])
        log.event('loopFailed', { loop: 'claim', err });
    });
    expect(lines).toHaveLength(6);
  });
});
