// Owns the proof of the circuit breaker's rule, without a store.
import { describe, expect, it } from 'vitest';
import {
  admitted,
  type Circuit,
  circuitPolicy,
  claimed,
  eventBetween,
  forcedOpen,
  mayStart,
  newCircuit,
  nextAdmissionAt,
  observed,
  DEFAULT_CIRCUIT_POLICY as POLICY,
  recentFailures,
  reset,
  type Verdict,
  verdictOf,
} from '#service/domain/circuit.js';
import { judged as judgedBy, type Outcome, release } from '#service/domain/lifecycle.js';

const T0 = 1_700_000_000_000;

function judged(circuit: Circuit, verdict: Verdict, now: number, epoch = circuit.epoch): Circuit {
  return observed(circuit, POLICY, { verdict, epoch, claimedAt: now }, now);
}

function opened(): Circuit {
  let circuit = newCircuit('email.send.v1');
  for (let n = 0; n < 5; n++) circuit = judged(circuit, 'fault', T0 + n * 1_000);
  return circuit;
}

const OPENED_AT = T0 + 4_000;

describe('a circuit', () => {
  it('E1 · opens after 5 faults within 60 s and then admits nothing', () => {
    const circuit = opened();
    expect(circuit).toMatchObject({ state: 'open', openUntil: OPENED_AT + 30_000 });
    expect(admitted(circuit, POLICY, 0, OPENED_AT + 29_999)).toBe(0);
  });

  it('E2 · admits exactly one probe after the break', () => {
    const circuit = opened();
    expect(admitted(circuit, POLICY, 0, OPENED_AT + 30_000)).toBe(1);
    const probing = claimed(circuit, OPENED_AT + 30_000);
    expect(probing.state).toBe('half-open');
    expect(admitted(probing, POLICY, 1, OPENED_AT + 30_001)).toBe(0);
  });

  it('E2 · closes with a ramp of 1, 2, 4 … up to full', () => {
    let circuit = judged(claimed(opened(), OPENED_AT + 30_000), 'success', OPENED_AT + 31_000);
    const limits = [circuit.rampLimit];
    while (circuit.rampLimit !== null) {
      circuit = judged(circuit, 'success', OPENED_AT + 32_000);
      limits.push(circuit.rampLimit);
    }
    expect(limits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, null]);
    expect(admitted({ ...circuit, rampLimit: 4 }, POLICY, 3, T0)).toBe(1);
    expect(admitted({ ...circuit, rampLimit: 4 }, POLICY, 9, T0)).toBe(0);
    expect(admitted(circuit, POLICY, 1_000, T0)).toBe(Number.POSITIVE_INFINITY);
  });

  it('E2 · opens for twice as long with every failed probe, up to the maximum', () => {
    let circuit = opened();
    const breaks: (number | null)[] = [circuit.breakTimeMs];
    for (let n = 0; n < 5; n++) {
      const now = circuit.openUntil ?? 0;
      circuit = judged(claimed(circuit, now), 'fault', now + 1);
      breaks.push(circuit.breakTimeMs);
    }
    expect(breaks).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
  });

  it('E3 · takes the permit back from a probe without a verdict, and replaces one that vanished', () => {
    const probing = claimed(opened(), OPENED_AT + 30_000);
    expect(admitted(judged(probing, 'none', OPENED_AT + 30_500), POLICY, 0, OPENED_AT + 30_500)).toBe(1);
    expect(admitted(probing, POLICY, 1, OPENED_AT + 59_999)).toBe(0);
    expect(admitted(probing, POLICY, 1, OPENED_AT + 60_000)).toBe(1);
  });

  it('E4 · does not add up faults that are further apart than the window', () => {
    let circuit = newCircuit('email.send.v1');
    for (let n = 0; n < 20; n++) circuit = judged(circuit, 'fault', T0 + n * 15_001);
    expect(circuit.state).toBe('closed');
  });

  it('E4 · is not moved by verdicts of an earlier epoch, nor by a fault of the job', () => {
    const circuit = opened();
    expect(judged(circuit, 'success', OPENED_AT, circuit.epoch - 1)).toBe(circuit);
    const probing = claimed(circuit, OPENED_AT + 30_000);
    expect(judged(probing, 'success', OPENED_AT + 30_001, circuit.epoch)).toBe(probing);
    const closed = newCircuit('email.send.v1');
    expect(judged(closed, 'none', T0)).toBe(closed);
  });

  it('stays open when forced, until it is reset', () => {
    const forced = forcedOpen(newCircuit('email.send.v1'));
    expect(admitted(forced, POLICY, 0, T0 + 365 * 86_400_000)).toBe(0);
    expect(admitted(reset(forced), POLICY, 500, T0)).toBe(Number.POSITIVE_INFINITY);
    expect(reset(forced).epoch).toBeGreaterThan(forced.epoch);
    expect(forcedOpen(forced)).toBe(forced);
    expect(reset(newCircuit('t'))).toEqual(newCircuit('t'));
  });

  it('is forced open by a handler that is gone, unless it was called in an earlier epoch', () => {
    const closed = newCircuit('t');
    const gone = judged(closed, 'gone', T0);
    expect(gone).toMatchObject({ state: 'open', openUntil: null });
    expect(judged(reset(gone), 'gone', T0, closed.epoch)).toEqual(reset(gone));
    expect(judged(claimed(opened(), OPENED_AT + 30_000), 'gone', T0)).toMatchObject({ state: 'open', openUntil: null });
  });

  it('says when it admits again by itself', () => {
    const probing = claimed(opened(), OPENED_AT + 30_000);
    expect(nextAdmissionAt(newCircuit('t'), POLICY)).toBeNull();
    expect(nextAdmissionAt(opened(), POLICY)).toBe(OPENED_AT + 30_000);
    expect(nextAdmissionAt(probing, POLICY)).toBe(OPENED_AT + 60_000);
    expect(nextAdmissionAt({ ...probing, probeAt: null }, POLICY)).toBeNull();
    expect(nextAdmissionAt(forcedOpen(probing), POLICY)).toBeNull();
    const ramp = judged(probing, 'success', OPENED_AT + 31_000);
    expect(nextAdmissionAt(ramp, POLICY, { inFlight: 1, oldestAt: T0 })).toBe(T0 + 30_000);
    expect(nextAdmissionAt({ ...ramp, rampLimit: 2 }, POLICY, { inFlight: 1, oldestAt: T0 })).toBeNull();
    expect(nextAdmissionAt(ramp, POLICY, { inFlight: 0, oldestAt: null })).toBeNull();
  });

  it('does not let a job start that was claimed before it opened', () => {
    const before = newCircuit('t');
    const probing = claimed(opened(), OPENED_AT + 30_000);
    expect(mayStart(before, before.epoch)).toBe(true);
    expect(mayStart(opened(), before.epoch)).toBe(false);
    expect(mayStart(probing, before.epoch)).toBe(false);
    expect(mayStart(probing, probing.epoch)).toBe(true);
    expect(mayStart(judged(probing, 'success', T0), before.epoch)).toBe(true);
  });

  it('tells operators what happened, and nothing of what only counts', () => {
    const closed = newCircuit('t');
    const open = opened();
    const probing = claimed(open, OPENED_AT + 30_000);
    const event = (before: Circuit, after: Circuit) => eventBetween(before, after)?.event ?? null;
    expect(event(closed, judged(closed, 'fault', T0))).toBeNull();
    expect(event(closed, open)).toBe('opened');
    expect(event(open, probing)).toBe('half-opened');
    expect(event(probing, judged(probing, 'none', T0))).toBeNull();
    expect(event(probing, judged(probing, 'success', T0))).toBe('closed');
    expect(event(probing, forcedOpen(probing))).toBe('forced');
  });

  it('counts the failures that still matter', () => {
    const circuit = judged(judged(newCircuit('t'), 'fault', T0), 'fault', T0 + 50_000);
    expect([T0 + 50_000, T0 + 60_000, T0 + 110_000].map(now => recentFailures(circuit, POLICY, now))).toEqual([
      2, 1, 0,
    ]);
  });
});

describe('the policy of a circuit', () => {
  it('is completed by the defaults, and its longest break is never shorter than its first', () => {
    expect(circuitPolicy({})).toEqual(POLICY);
    expect(circuitPolicy({ failureThreshold: 2 })).toEqual({ ...POLICY, failureThreshold: 2 });
    expect(circuitPolicy({ breakTimeMs: 600_000 })).toMatchObject({ breakTimeMs: 600_000, maxBreakTimeMs: 600_000 });
  });
});

describe('what an attempt says about its handler', () => {
  const answer = { responseStatus: 500, responseBody: null, error: null };
  const asked = { ...answer, askedDelayMs: 1_000 };
  it.each<[string, Outcome, Verdict]>([
    ['a success', { kind: 'succeeded', ...answer, responseStatus: 200 }, 'success'],
    ['a transient failure', { kind: 'retryable', ...asked }, 'fault'],
    ['no connection', { kind: 'retryable', ...asked, responseStatus: null }, 'fault'],
    ['a 2xx that asks to be called again', { kind: 'retryable', ...asked, responseStatus: 202 }, 'none'],
    ['a timeout', { kind: 'timedOut', ...answer, responseStatus: null }, 'fault'],
    ['a throttle', { kind: 'throttled', ...asked, responseStatus: 503 }, 'none'],
    ['a fatal answer', { kind: 'fatal', endpointGone: false, ...answer }, 'none'],
    ['410', { kind: 'fatal', endpointGone: true, ...answer }, 'gone'],
    ['a cancellation', { kind: 'cancelled', by: 'ann', ...answer }, 'none'],
    ['a shutdown', { kind: 'interrupted', by: 'shutdown', ...answer }, 'none'],
    ['a lost node', { kind: 'expired', ...answer }, 'none'],
  ])('%s', (_, outcome, verdict) => expect(verdictOf(outcome)).toBe(verdict));
});

describe('the transition that ends an attempt', () => {
  const answer = { responseStatus: 500, responseBody: null, error: null };
  const end = release({ id: 'j', leaseId: 'l' });
  const told = (outcome: Outcome, circuitEpoch: number) =>
    judgedBy(end, { handlerType: '*', circuitEpoch }, outcome).circuit;

  it('tells the circuit of the handler that was called what the attempt says', () => {
    expect(told({ kind: 'timedOut', ...answer }, 0)).toEqual({ type: '*', verdict: 'fault' });
    expect(told({ kind: 'fatal', endpointGone: true, ...answer }, 0)).toEqual({ type: '*', verdict: 'gone' });
    expect(told({ kind: 'succeeded', ...answer }, 1)).toEqual({ type: '*', verdict: 'success' });
  });

  it('says nothing when there is nothing to learn', () => {
    expect(told({ kind: 'succeeded', ...answer }, 0)).toBeUndefined();
    expect(told({ kind: 'expired', ...answer }, 3)).toBeUndefined();
  });
});
