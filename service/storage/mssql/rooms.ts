// Owns what a claim may take per handler (the node's own room, and what the handler's circuit admits) as its transaction reads it.
import { admitted, type Circuit, claimed, countedAfter, nextAdmissionAt } from '../../domain/circuit.ts';
import type { CircuitPolicy } from '../../domain/handler.ts';
import type { ClaimRequest } from '../../ports/store.ts';
import type { CircuitSet } from '../circuit-set.ts';
import { ADVANCE_CIRCUITS } from './circuit-copy.ts';
import { EXACT } from './counters.ts';
import { nameList } from './names.ts';
import type { Values } from './session.ts';

/**
 * A handler that is not in it has all the room there is, and its jobs the epoch 0. `ramp`: the most calls in flight, those that
 * began before `@now + counted_after` apart. `is_probe`: what is claimed of it is a probe, and its circuit becomes as told.
 */
export const DECLARE_ROOMS = `
  DECLARE @rooms TABLE (
    handler NVARCHAR(510) ${EXACT} NOT NULL, room BIGINT NOT NULL, epoch INT NOT NULL, ramp BIGINT NULL, counted_after BIGINT NULL,
    is_probe INT NOT NULL, state VARCHAR(20) NULL, open_until BIGINT NULL, in_flight BIGINT NULL, oldest_at BIGINT NULL);`;

const load = (rows: string) => `
  INSERT INTO @rooms (handler, room, epoch, ramp, counted_after, is_probe, state, open_until)
  SELECT handler.name, CASE WHEN v.admits_from > @now THEN 0 ELSE v.room END, v.epoch, v.ramp, v.counted_after, v.is_probe,
    v.state, v.open_until
  FROM ${rows} JOIN OPENJSON(@rooms_json) WITH (
    i INT '$.i', room BIGINT '$.room', admits_from BIGINT '$.admitsFrom', epoch INT '$.epoch', ramp BIGINT '$.ramp',
    counted_after BIGINT '$.countedAfter', is_probe INT '$.isProbe', state VARCHAR(20) '$.state',
    open_until BIGINT '$.openUntil') v ON v.i = handler.i;`;

const OF_RAMP = `
  FROM chokaq.jobs_hot j WHERE j.status > 0 AND j.circuit_epoch = epoch AND COALESCE(j.started_at, j.updated_at) > @now + counted_after
    AND (j.type = handler OR (handler = '*' AND NOT EXISTS (SELECT 1 FROM chokaq.handlers h WHERE h.type = j.type)))`;

/** Calls over all nodes that belong to a ramp. */
const COUNT_RAMPS = `
  IF EXISTS (SELECT 1 FROM @rooms WHERE ramp IS NOT NULL)
    UPDATE @rooms SET in_flight = (SELECT COUNT(*) ${OF_RAMP}), oldest_at = (SELECT MIN(COALESCE(j.started_at, j.updated_at)) ${OF_RAMP})
    WHERE ramp IS NOT NULL;`;

const HOLD_RAMPS = `
  UPDATE @rooms SET room = CASE WHEN ramp - in_flight < room THEN ramp - in_flight ELSE room END WHERE ramp IS NOT NULL;`;

/** `@heads` has what was claimed. */
const STORE_PROBES = `
  IF EXISTS (SELECT 1 FROM @rooms r JOIN @heads t ON t.handler = r.handler WHERE r.is_probe = 1) BEGIN
    UPDATE chokaq.circuits SET state = r.state, epoch = r.epoch, open_until = r.open_until, probe_at = @now, updated_at = @now
    FROM @rooms r WHERE r.handler = circuits.type AND r.is_probe = 1 AND EXISTS (SELECT 1 FROM @heads t WHERE t.handler = r.handler);
    ${ADVANCE_CIRCUITS}
  END`;

export interface Rooms {
  /** Before the choice, and after it. */
  readonly open: string;
  readonly close: string;
  readonly values: Values;
}

/** Few handlers have a room of their own that matters, or a circuit that ever moved: the others cost nothing. */
export function roomsFor(request: ClaimRequest, circuits: CircuitSet): Rooms {
  const own = new Map(Object.entries(request.perHandler).filter(([, room]) => room < request.limit));
  const handlers = [...new Set([...own.keys(), ...circuits.moved.map(({ type }) => type)])];
  if (handlers.length === 0) return { open: '', close: '', values: {} };
  const rows = handlers.map((handler, i) => {
    const room = Math.max(0, own.get(handler) ?? request.limit);
    const isMoved = circuits.hasMoved(handler);
    return { i, ...(isMoved ? moved(circuits.get(handler), circuits.policyOf(handler), room) : unmoved(room)) };
  });
  const list = nameList('handler', handlers);
  return {
    open: `${load(list.rows)} ${COUNT_RAMPS} ${HOLD_RAMPS}`,
    close: `${STORE_PROBES} ${COUNT_RAMPS}`,
    values: { ...list.values, rooms_json: JSON.stringify(rows) },
  };
}

function unmoved(room: number) {
  return { room, epoch: 0, isProbe: 0 };
}

function moved(circuit: Circuit, policy: CircuitPolicy, room: number) {
  const admitsFrom = circuit.state === 'closed' ? null : nextAdmissionAt(circuit, policy);
  const admits = admitted(circuit, policy, 0, admitsFrom ?? Number.MAX_SAFE_INTEGER);
  const after = claimed(circuit, 0);
  return {
    room: circuit.state === 'closed' ? room : Math.min(room, admits),
    admitsFrom,
    epoch: after.epoch,
    ramp: circuit.rampLimit,
    countedAfter: countedAfter(policy, 0),
    isProbe: after === circuit ? 0 : 1,
    state: after.state,
    openUntil: after.openUntil,
  };
}
