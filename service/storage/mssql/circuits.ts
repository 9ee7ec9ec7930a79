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
import type { CircuitOrdered, CircuitStatus, CircuitStore } from '../../ports/circuits.ts';
import { CIRCUIT_COLUMNS } from '../circuit-rows.ts';
import { changesOf, storeCircuits } from './circuit-changes.ts';
import { type CircuitRow, circuitFromRow, circuitSet, circuitsFrom, READ_CIRCUITS } from './circuit-copy.ts';
import type { Session } from './session.ts';

const LIST = `
  SELECT h.type AS handler, h.circuit AS policy, c.updated_at, ${CIRCUIT_COLUMNS.map(column => `c.${column}`).join(', ')}
  FROM chokaq.handlers h LEFT JOIN chokaq.circuits c ON c.type = h.type ORDER BY h.type;
  SELECT x.handler, SUM(x.ready) AS waiting, SUM(x.taken) AS in_flight
  FROM (
    SELECT COALESCE(own.type, '${CATCH_ALL}') AS handler, l.ready, l.fetched + l.processing AS taken
    FROM chokaq.lanes l LEFT JOIN chokaq.handlers own ON own.type = l.type
    WHERE l.ready + l.fetched + l.processing > 0) x
  GROUP BY x.handler`;

export function circuitsOver(session: Session): CircuitStore {
  return {
    list: () => list(session),
    open: type =>
      order(session, type, circuit => {
        const after = forcedOpen(circuit);
        return { after, event: eventBetween(circuit, after) };
      }),
    reset: type =>
      order(session, type, circuit => {
        const after = reset(circuit);
        return { after, event: after === circuit ? null : { type, event: 'reset' } };
      }),
  };
}

interface Ordered {
  readonly after: Circuit;
  readonly event: CircuitEvent | null;
}

async function order(
  session: Session,
  type: string,
  rule: (circuit: Circuit) => Ordered,
): Promise<CircuitOrdered | null> {
  const ordered = await session.decided('orderCircuit', async () => {
    const known = circuitsFrom(await session.readOnce(READ_CIRCUITS));
    const circuits = circuitSet(known);
    if (!circuits.has(type)) return null;
    const before = circuits.get(type);
    const { after, event } = rule(before);
    if (after === before) return { event };
    circuits.replace(after);
    const { work, values } = storeCircuits(changesOf(circuits, known.circuits));
    await session.writeOnce({ work }, values);
    return { event };
  });
  if (ordered === null) return null;
  const status = (await list(session)).find(({ circuit }) => circuit.type === type);
  return status === undefined ? null : { status, event: ordered.event };
}

type ListRow = { readonly handler: string; readonly policy: string } & (
  | (CircuitRow & { readonly updated_at: number })
  | { readonly updated_at: null }
);

interface LoadRow {
  readonly handler: string;
  readonly waiting: number;
  readonly in_flight: number;
}

async function list(session: Session): Promise<readonly CircuitStatus[]> {
  const answer = await session.read('listCircuits', LIST);
  const loads = new Map(answer.rows<LoadRow>(1).map(load => [load.handler, load]));
  return answer.rows<ListRow>(0).map(row => statusFrom(row, loads.get(row.handler)));
}

function statusFrom(row: ListRow, load: LoadRow | undefined): CircuitStatus {
  const circuit = row.updated_at === null ? newCircuit(row.handler) : circuitFromRow(row);
  return {
    circuit,
    policy: circuitPolicy(JSON.parse(row.policy)),
    openedAt: circuit.state === 'open' ? row.updated_at : null,
    waiting: load?.waiting ?? 0,
    inFlight: load?.in_flight ?? 0,
  };
}
