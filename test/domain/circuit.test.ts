// Owns the proof of the circuit breaker's rule, without a store.
import { describe, expect, it } from 'vitest';
import {
  admitted,
  type Circuit,
  claimed,
  forcedOpen,
  newCircuit,
  observed,
  DEFAULT_CIRCUIT_POLICY as POLICY,
  reset,
  type Verdict,
} from '#service/domain/circuit.js';

const T0 = 1_700_000_000_000;

function judged(circuit: Circuit, verdict: Verdict, now: number, epoch = circuit.epoch): Circuit {
  return observed(circuit, POLICY, { verdict, epoch }, now);
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
  });
});
