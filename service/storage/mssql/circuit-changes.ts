// Owns how what a decision made of circuits is stored: guarded by what was read, and told to every copy that it makes wrong.
import { type Circuit, newCircuit } from '../../domain/circuit.ts';
import type { CircuitSet } from '../circuit-set.ts';
import { ADVANCE_CIRCUITS } from './circuit-copy.ts';
import { EXACT } from './counters.ts';
import { nameList } from './names.ts';
import { overtakenIf, type Values } from './session.ts';

/** A circuit as it was read, and what a decision made of it. */
export interface CircuitChange {
  readonly before: Circuit;
  readonly after: Circuit;
}

/** What `set` has changed since it was made of `circuits`. */
export function changesOf(set: CircuitSet, circuits: readonly Circuit[]): readonly CircuitChange[] {
  return set.changed.map(after => ({
    before: circuits.find(({ type }) => type === after.type) ?? newCircuit(after.type),
    after,
  }));
}

const SEEN_OTHERWISE = `EXISTS (SELECT 1 FROM @circuits c LEFT JOIN chokaq.circuits s ON s.type = c.type
  WHERE COALESCE(s.epoch, 0) <> c.seen_epoch OR COALESCE(s.failed_at, '[]') <> c.seen_failed_at
    OR COALESCE(s.probe_at, -1) <> COALESCE(c.seen_probe_at, -1) OR COALESCE(s.ramp_limit, -1) <> COALESCE(c.seen_ramp_limit, -1)
    OR NOT EXISTS (SELECT 1 FROM chokaq.handlers h WHERE h.type = c.type))`;

const load = (circuits: string, failed: string, seenFailed: string) => `
  DECLARE @circuits TABLE (
    type NVARCHAR(510) ${EXACT} NOT NULL, state VARCHAR(20), epoch INT, failed_at NVARCHAR(MAX), open_until BIGINT,
    break_time_ms BIGINT, probe_at BIGINT, ramp_limit INT, is_moved INT, seen_epoch INT, seen_failed_at NVARCHAR(MAX),
    seen_probe_at BIGINT, seen_ramp_limit INT);
  INSERT INTO @circuits
  SELECT circuit.name, v.state, v.epoch, failed.name, v.open_until, v.break_time_ms, v.probe_at, v.ramp_limit, v.is_moved,
    v.seen_epoch, seen_failed.name, v.seen_probe_at, v.seen_ramp_limit
  FROM ${circuits} JOIN ${failed} ON failed.i = circuit.i JOIN ${seenFailed} ON seen_failed.i = circuit.i
  JOIN OPENJSON(@circuits_json) WITH (
    i INT '$.i', state VARCHAR(20) '$.state', epoch INT '$.epoch', open_until BIGINT '$.open_until', break_time_ms BIGINT '$.break_time_ms', probe_at BIGINT '$.probe_at',
    ramp_limit INT '$.ramp_limit', is_moved INT '$.is_moved', seen_epoch INT '$.seen_epoch',
    seen_probe_at BIGINT '$.seen_probe_at', seen_ramp_limit INT '$.seen_ramp_limit') v ON v.i = circuit.i;`;

/** A circuit that opened was decided upon at the time that was read: `open_until` counts from there, not from the write. */
const CHANGED_AT = 'COALESCE(c.open_until - c.break_time_ms, @now)';

const STORE = `
  INSERT INTO chokaq.circuits (type, state, epoch, failed_at, updated_at)
  SELECT c.type, c.state, c.epoch, c.failed_at, ${CHANGED_AT} FROM @circuits c
  WHERE NOT EXISTS (SELECT 1 FROM chokaq.circuits s WHERE s.type = c.type);
  UPDATE chokaq.circuits SET
    state = c.state, epoch = c.epoch, failed_at = c.failed_at, open_until = c.open_until, break_time_ms = c.break_time_ms,
    probe_at = c.probe_at, ramp_limit = c.ramp_limit, updated_at = ${CHANGED_AT}
  FROM @circuits c WHERE c.type = circuits.type;
  IF EXISTS (SELECT 1 FROM @circuits WHERE is_moved = 1) ${ADVANCE_CIRCUITS}`;

/** For the `work` of a decided transaction: stores the changes, or finds itself overtaken. Uses the table variable `@circuits`. */
export function storeCircuits(changes: readonly CircuitChange[]): { readonly work: string; readonly values: Values } {
  if (changes.length === 0) return { work: '', values: {} };
  const types = nameList(
    'circuit',
    changes.map(({ after }) => after.type),
  );
  const failed = nameList(
    'failed',
    changes.map(({ after }) => JSON.stringify(after.failedAt)),
  );
  const seenFailed = nameList(
    'seen_failed',
    changes.map(({ before }) => JSON.stringify(before.failedAt)),
  );
  const json = JSON.stringify(changes.map((change, i) => ({ i, ...numbersOf(change) })));
  return {
    work: `${load(types.rows, failed.rows, seenFailed.rows)} ${overtakenIf(SEEN_OTHERWISE)} ${STORE}`,
    values: { ...types.values, ...failed.values, ...seenFailed.values, circuits_json: json },
  };
}

function numbersOf({ before, after }: CircuitChange) {
  const { state, epoch, openUntil, breakTimeMs, probeAt, rampLimit } = after;
  return {
    ...{ state, epoch, open_until: openUntil, break_time_ms: breakTimeMs, probe_at: probeAt, ramp_limit: rampLimit },
    ...{ seen_epoch: before.epoch, seen_probe_at: before.probeAt, seen_ramp_limit: before.rampLimit },
    is_moved: touchesAdmission(before, after) ? 1 : 0,
  };
}

/** Whether a claim that still knows `before` would be wrong. */
function touchesAdmission(before: Circuit, after: Circuit): boolean {
  return before.epoch !== after.epoch || before.probeAt !== after.probeAt || before.rampLimit !== after.rampLimit;
}
