// Owns the proof of what each answer means, and of what stands above the table.
import { describe, expect, it } from 'vitest';
import { classify } from '#service/delivery/classify.js';

const NOW = Date.UTC(2026, 10, 30, 12);
const STATUSES = Array.from({ length: 400 }, (_, index) => 200 + index);
const RETRYABLE = [401, 403, 404, 408, 409, 421, 423, 425];
const THROTTLED = [429, 503];

function read(status: number, headers: Record<string, string | string[]> = {}, fatalStatuses: number[] = []) {
  return classify({ status, headers, body: 'said' }, fatalStatuses, NOW);
}

function expected(status: number): string {
  if (status < 300) return 'succeeded';
  if (THROTTLED.includes(status)) return 'throttled';
  return RETRYABLE.includes(status) || status >= 500 ? 'retryable' : 'fatal';
}

describe('the outcome of an answer', () => {
  it('follows the table for every status, and keeps status and body', () => {
    for (const status of STATUSES) {
      const outcome = read(status);
      expect(outcome, String(status)).toMatchObject({
        kind: expected(status),
        responseStatus: status,
        responseBody: 'said',
      });
      expect(outcome.error === null, String(status)).toBe(status < 300);
    }
  });

  it('of a status that HTTP does not know counts as the fault of the server', () => {
    expect(read(600).kind).toBe('retryable');
    expect(read(999).kind).toBe('retryable');
  });

  it('410 alone says that the endpoint is gone', () => {
    const gone = STATUSES.filter(status => {
      const outcome = read(status);
      return outcome.kind === 'fatal' && outcome.endpointGone;
    });
    expect(gone).toEqual([410]);
  });

  it.each(THROTTLED)('D4 · %i takes its delay from Retry-After', status => {
    expect(read(status, { 'retry-after': '30' })).toMatchObject({ kind: 'throttled', askedDelayMs: 30_000 });
    const date = new Date(NOW + 90_000).toUTCString();
    expect(read(status, { 'retry-after': date })).toMatchObject({ kind: 'throttled', askedDelayMs: 90_000 });
    expect(read(status, { 'retry-after': 'soon' })).toMatchObject({ kind: 'throttled', askedDelayMs: null });
    expect(read(status, { 'retry-after': ['30', '60'] })).toMatchObject({ kind: 'throttled', askedDelayMs: null });
    expect(read(status)).toMatchObject({ kind: 'throttled', askedDelayMs: null });
  });

  it('does not read Retry-After from anything else', () => {
    expect(read(500, { 'retry-after': '30' })).toMatchObject({ kind: 'retryable', askedDelayMs: null });
  });
});

describe('chokaq-retry', () => {
  it.each([200, 204, 302, 400, 404, 410, 429, 500, 503])('D6 · never wins over %i', status => {
    expect(read(status, { 'chokaq-retry': 'never' }, [404])).toMatchObject({
      kind: 'fatal',
      endpointGone: false,
      error: `the handler answered ${status} with chokaq-retry: never`,
    });
  });

  it.each([200, 204, 302, 400, 404, 410, 500])('D6 · after=30s makes %i a retry', status => {
    const outcome = read(status, { 'chokaq-retry': 'after=30s' }, [404]);
    expect(outcome).toMatchObject({ kind: 'retryable', askedDelayMs: 30_000 });
  });

  it.each(THROTTLED)('after=30s on %i stays a throttle, with the delay it asks for', status => {
    const outcome = read(status, { 'chokaq-retry': 'after=30s', 'retry-after': '5' });
    expect(outcome).toMatchObject({ kind: 'throttled', askedDelayMs: 30_000 });
  });

  it.each([
    '',
    'Never',
    'never!',
    'after',
    'after=',
    'after=30',
    'after=-1s',
    'after=1.5s',
    'after= 30s',
    'ne ver',
    'AFTER=30s',
    'now',
    'after=30s,never',
  ])('%j is as absent', value => {
    expect(read(200, { 'chokaq-retry': value }).kind).toBe('succeeded');
    expect(read(400, { 'chokaq-retry': value }).kind).toBe('fatal');
  });

  it('may have white space around it', () => {
    expect(read(200, { 'chokaq-retry': '\t never ' }).kind).toBe('fatal');
  });

  it('given twice is as absent', () => {
    expect(read(200, { 'chokaq-retry': ['never', 'never'] }).kind).toBe('succeeded');
  });
});

describe("the handler's fatal statuses", () => {
  it('D6 · add to the table', () => {
    expect(read(409, {}, [409])).toMatchObject({ kind: 'fatal', endpointGone: false });
    expect(read(503, { 'retry-after': '1' }, [503])).toMatchObject({ kind: 'fatal', endpointGone: false });
    expect(read(500, {}, [409]).kind).toBe('retryable');
  });

  it('stand below 410', () => {
    expect(read(410, {}, [410])).toMatchObject({ kind: 'fatal', endpointGone: true });
  });
});
