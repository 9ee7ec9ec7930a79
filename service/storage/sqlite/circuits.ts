// Owns circuits as operators see them: each with what it holds back, forced open or reset for all nodes.
import {
  type Circuit,
  type CircuitEvent,
  circuitPolicy,
  eventBetween,
  forcedOpen,
  newCircuit,
  reset,
} from '../../domain/circuit.ts';
import { CATCH_ALL } from '../../domain/handler.ts';
import type { CircuitOrdered, CircuitStatus } from '../../ports/circuits.ts';
import { CIRCUIT_COLUMNS, type CircuitValues, circuitFrom } from '../circuit-rows.ts';
import { type Parcel, plain } from './parcel.ts';
import type { Session } from './session.ts';

const LIST = `
  SELECT handlers.type, handlers.circuit, circuits.updated_at, ${CIRCUIT_COLUMNS.map(column => `circuits.${column}`).join(', ')}
  FROM handlers LEFT JOIN circuits ON circuits.type = handlers.type ORDER BY handlers.type`;

const LOADS = `
  SELECT coalesce((SELECT own.type FROM handlers AS own WHERE own.type = lanes.type), '${CATCH_ALL}') AS handler,
    sum(ready), sum(fetched + processing)
  FROM lanes WHERE ready + fetched + processing > 0 GROUP BY handler`;

type ListValues = readonly [type: string, policy: string, updatedAt: number | null, ...circuit: unknown[]];
type LoadValues = readonly [handler: string, waiting: number, inFlight: number];

export function listCircuits(session: Session): Parcel<readonly CircuitStatus[]> {
  return plain(statuses(session));
}

export function openCircuit(session: Session, type: string): Parcel<CircuitOrdered | null> {
  return order(session, type, circuit => {
    const after = forcedOpen(circuit);
    return { after, event: eventBetween(circuit, after) };
  });
}

export function resetCircuit(session: Session, type: string): Parcel<CircuitOrdered | null> {
  return order(session, type, circuit => {
    const after = reset(circuit);
    return { after, event: after === circuit ? null : { type, event: 'reset' } };
  });
}

interface Ordered {
  readonly after: Circuit;
  readonly event: CircuitEvent | null;
}

function order(session: Session, type: string, rule: (circuit: Circuit) => Ordered): Parcel<CircuitOrdered | null> {
  if (!session.circuits.has(type)) return plain(null);
  const before = session.circuits.get(type);
  const { after, event } = rule(before);
  if (after !== before) session.circuits.replace(after);
  session.flush();
  session.circuits.flush(session.now);
  const status = statuses(session).find(({ circuit }) => circuit.type === type);
  return plain(status === undefined ? null : { status, event });
}

function statuses(session: Session): CircuitStatus[] {
  const loads = new Map(session.rows<LoadValues>(LOADS).map(values => [values[0], values]));
  return session.rows<ListValues>(LIST).map(([type, set, updatedAt, ...values]) => {
    const circuit = updatedAt === null ? newCircuit(type) : circuitFrom(values as unknown as CircuitValues);
    const [, waiting = 0, inFlight = 0] = loads.get(type) ?? [];
    const openedAt = circuit.state === 'open' ? updatedAt : null;
    return { circuit, policy: circuitPolicy(JSON.parse(set)), openedAt, waiting, inFlight };
  });
}
