// Owns how the log tells what this node's claims and attempts did to circuits.
import type { CircuitEvent } from '../domain/circuit.ts';
import type { EventName, Log } from '../log.ts';

const EVENT_NAMES = {
  opened: 'circuitOpened',
  'half-opened': 'circuitHalfOpened',
  closed: 'circuitClosed',
  forced: 'circuitForced',
  reset: 'circuitReset',
} as const satisfies Record<CircuitEvent['event'], EventName>;

export function logCircuit(log: Log, { type, event }: CircuitEvent): void {
  log.event(EVENT_NAMES[event], { type });
}
