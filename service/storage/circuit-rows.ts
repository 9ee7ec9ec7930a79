// Owns how stored rows read as circuits, for every SQL adapter.
import { CIRCUIT_STATES, type Circuit } from '../domain/circuit.ts';

/** In the order in which values are read and written. */
export const CIRCUIT_COLUMNS = [
  'type',
  'state',
  'epoch',
  'failed_at',
  'open_until',
  'break_time_ms',
  'probe_at',
  'ramp_limit',
] as const;

export type CircuitValues = readonly [
  type: string,
  state: string,
  epoch: number,
  failedAt: string,
  openUntil: number | null,
  breakTimeMs: number | null,
  probeAt: number | null,
  rampLimit: number | null,
];

export function circuitFrom(values: CircuitValues): Circuit {
  const [type, stored, epoch, failedAt, openUntil, breakTimeMs, probeAt, rampLimit] = values;
  const state = CIRCUIT_STATES.find(known => known === stored) ?? 'closed';
  return { type, state, epoch, failedAt: JSON.parse(failedAt), openUntil, breakTimeMs, probeAt, rampLimit };
}

export function circuitValues(circuit: Circuit): CircuitValues {
  const { type, state, epoch, failedAt, openUntil, breakTimeMs, probeAt, rampLimit } = circuit;
  return [type, state, epoch, JSON.stringify(failedAt), openUntil, breakTimeMs, probeAt, rampLimit];
}
