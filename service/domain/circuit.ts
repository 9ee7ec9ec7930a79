// Owns the circuit breaker of a handler: when its jobs are not claimed at all, and how it comes back.
import type { CircuitPolicy } from './handler.ts';
import type { Outcome } from './transition.ts';

export const CIRCUIT_STATES = ['closed', 'open', 'half-open'] as const;
export type CircuitState = (typeof CIRCUIT_STATES)[number];

/** One per registered handler, shared by all nodes. Instants in epoch ms by the database's clock. */
export interface Circuit {
  readonly type: string;
  readonly state: CircuitState;
  /** Grows with every change of state; a result of an earlier epoch changes nothing. */
  readonly epoch: number;
  /** The last failures, oldest first; at most as many as the threshold. */
  readonly failedAt: readonly number[];
  /** While open: when the next probe may go; null when only an operator's reset ends it. */
  readonly openUntil: number | null;
  /** How long it was last opened for; doubles with every failed probe. */
  readonly breakTimeMs: number | null;
  /** While half-open: when the probe was admitted, or null when the permit is free. */
  readonly probeAt: number | null;
  /** While closing: how many may be in flight over all nodes; null when there is no such limit. */
  readonly rampLimit: number | null;
}

export const DEFAULT_CIRCUIT_POLICY: CircuitPolicy = {
  failureThreshold: 5,
  windowMs: 60_000,
  breakTimeMs: 30_000,
  maxBreakTimeMs: 300_000,
  probeTimeoutMs: 30_000,
};

/** A ramp that would allow more than this is over. */
const RAMP_ENDS_ABOVE = 256;

/** What operators hear of. `forced`: held open until a reset. */
export const CIRCUIT_CHANGES = ['opened', 'half-opened', 'closed', 'forced', 'reset'] as const;

/** A change of state of a handler's circuit; `type` is the handler's key. */
export interface CircuitEvent {
  readonly type: string;
  readonly event: (typeof CIRCUIT_CHANGES)[number];
}

/** The policy in force where the handler sets only some of it. A break is never capped below the one it begins with. */
export function circuitPolicy(set: Partial<CircuitPolicy>): CircuitPolicy {
  const policy = { ...DEFAULT_CIRCUIT_POLICY, ...set };
  return { ...policy, maxBreakTimeMs: Math.max(policy.maxBreakTimeMs, policy.breakTimeMs) };
}

export function newCircuit(type: string): Circuit {
  const state = 'closed';
  return { type, state, epoch: 0, failedAt: [], openUntil: null, breakTimeMs: null, probeAt: null, rampLimit: null };
}

/** The calls of a ramp over all nodes, but for those that began before `countedAfter`; `oldestAt` is when the first of them did. */
export interface RampLoad {
  readonly inFlight: number;
  readonly oldestAt: number | null;
}

/** A call that hangs holds the ramp up no longer than a probe that vanished; the instant itself is not counted. */
export function countedAfter(policy: CircuitPolicy, now: number): number {
  return now - policy.probeTimeoutMs;
}

/** How many more of its jobs may start now, `inFlight` being that of its ramp; Infinity when it sets no limit. */
export function admitted(circuit: Circuit, policy: CircuitPolicy, inFlight: number, now: number): number {
  switch (circuit.state) {
    case 'closed':
      return circuit.rampLimit === null ? Number.POSITIVE_INFINITY : Math.max(0, circuit.rampLimit - inFlight);
    case 'open':
      return circuit.openUntil !== null && now >= circuit.openUntil ? 1 : 0;
    case 'half-open':
      return circuit.probeAt === null || now - circuit.probeAt >= policy.probeTimeoutMs ? 1 : 0;
  }
}

/** When a circuit admits again though nothing ends meanwhile; null when it admits already, or only after a reset. */
export function nextAdmissionAt(circuit: Circuit, policy: CircuitPolicy, ramp: RampLoad = NO_LOAD): number | null {
  if (circuit.state === 'open') return circuit.openUntil;
  const isFull = circuit.rampLimit !== null && ramp.inFlight >= circuit.rampLimit;
  const heldUpSince = circuit.state === 'half-open' ? circuit.probeAt : isFull ? ramp.oldestAt : null;
  return heldUpSince === null ? null : heldUpSince + policy.probeTimeoutMs;
}

export const NO_LOAD: RampLoad = { inFlight: 0, oldestAt: null };

/** Whether a job claimed in `epoch` may still start: not when the circuit opened in between. */
export function mayStart(circuit: Circuit, epoch: number): boolean {
  return circuit.state === 'closed' || circuit.epoch === epoch;
}

/** The circuit after jobs of its type were claimed: the first one out of an open circuit is the probe. */
export function claimed(circuit: Circuit, now: number): Circuit {
  if (circuit.state === 'closed') return circuit;
  const epoch = circuit.state === 'open' ? circuit.epoch + 1 : circuit.epoch;
  return { ...circuit, state: 'half-open', epoch, openUntil: null, probeAt: now };
}

/**
 * What an attempt says about its handler: `fault` is a transient failure or a timeout; `gone` that it will never answer
 * again; `none` gives no verdict (cancelled, lease lost, shutdown, a throttle, a job that can never work).
 */
export type Verdict = 'success' | 'fault' | 'gone' | 'none';

export function verdictOf(outcome: Outcome): Verdict {
  switch (outcome.kind) {
    case 'succeeded':
      return 'success';
    case 'retryable':
      return isSuccessStatus(outcome.responseStatus) ? 'none' : 'fault';
    case 'timedOut':
      return 'fault';
    case 'fatal':
      return outcome.endpointGone ? 'gone' : 'none';
    case 'throttled':
    case 'cancelled':
    case 'interrupted':
    case 'expired':
      return 'none';
  }
}

/** A handler that says 2xx and asks to be called again works as it is meant to. */
function isSuccessStatus(status: number | null): boolean {
  return status !== null && status >= 200 && status <= 299;
}

/** The circuit after an attempt that was claimed in `epoch` ended with `verdict`. */
export function observed(
  circuit: Circuit,
  policy: CircuitPolicy,
  result: { verdict: Verdict; epoch: number; claimedAt: number },
  now: number,
): Circuit {
  if (result.epoch !== circuit.epoch) return circuit;
  if (result.verdict === 'gone') return forcedOpen(circuit);
  if (circuit.state === 'half-open') return probed(circuit, policy, { ...result, verdict: result.verdict }, now);
  if (circuit.state === 'open' || result.verdict === 'none') return circuit;
  return result.verdict === 'success' ? ramped(circuit) : failed(circuit, policy, now);
}

/** A probe that was replaced holds no permit any more, so it has none to give back; its verdict counts all the same. */
function probed(
  circuit: Circuit,
  policy: CircuitPolicy,
  { verdict, claimedAt }: { verdict: Exclude<Verdict, 'gone'>; claimedAt: number },
  now: number,
): Circuit {
  if (verdict === 'none') return claimedAt < (circuit.probeAt ?? 0) ? circuit : { ...circuit, probeAt: null };
  if (verdict === 'success') return { ...newCircuit(circuit.type), epoch: circuit.epoch + 1, rampLimit: 1 };
  const breakTimeMs = Math.min((circuit.breakTimeMs ?? policy.breakTimeMs) * 2, policy.maxBreakTimeMs);
  return opened(circuit, breakTimeMs, now);
}

function ramped(circuit: Circuit): Circuit {
  if (circuit.rampLimit === null) return circuit;
  const next = circuit.rampLimit * 2;
  return { ...circuit, rampLimit: next > RAMP_ENDS_ABOVE ? null : next };
}

function failed(circuit: Circuit, policy: CircuitPolicy, now: number): Circuit {
  const failedAt = [...circuit.failedAt.filter(at => now - at < policy.windowMs), now].slice(-policy.failureThreshold);
  if (failedAt.length < policy.failureThreshold) return { ...circuit, failedAt };
  return opened(circuit, policy.breakTimeMs, now);
}

function opened(circuit: Circuit, breakTimeMs: number, now: number): Circuit {
  const epoch = circuit.epoch + 1;
  return { ...newCircuit(circuit.type), state: 'open', epoch, openUntil: now + breakTimeMs, breakTimeMs };
}

/** Held open until an operator resets it: an operator's wish, or a handler that answered 410. */
export function forcedOpen(circuit: Circuit): Circuit {
  if (isForced(circuit)) return circuit;
  return { ...newCircuit(circuit.type), state: 'open', epoch: circuit.epoch + 1 };
}

export function isForced(circuit: Circuit): boolean {
  return circuit.state === 'open' && circuit.openUntil === null;
}

/** Closed at once and without a ramp, because an operator says so; what was still running says nothing any more. */
export function reset(circuit: Circuit): Circuit {
  if (circuit.state === 'closed' && circuit.rampLimit === null && circuit.failedAt.length === 0) return circuit;
  return { ...newCircuit(circuit.type), epoch: circuit.epoch + 1 };
}

/** The failures that still count towards opening. */
export function recentFailures(circuit: Circuit, policy: CircuitPolicy, now: number): number {
  return circuit.failedAt.filter(at => now - at < policy.windowMs).length;
}

/** What happened between two states of one circuit that operators hear of, or null. An operator's reset is told by its verb. */
export function eventBetween(before: Circuit, after: Circuit): CircuitEvent | null {
  if (after.epoch === before.epoch) return null;
  return { type: after.type, event: isForced(after) ? 'forced' : EVENT_OF_STATE[after.state] };
}

const EVENT_OF_STATE = { open: 'opened', 'half-open': 'half-opened', closed: 'closed' } as const;
