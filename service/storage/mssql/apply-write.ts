// Owns the one transaction that makes the moves of a round: only the statements which these moves need, in a fixed order.

import type { HotMove, Round } from './apply-round.ts';
import { isBeyondKept, RECORD_ATTEMPTS, TRIM_ATTEMPTS } from './attempts.ts';
import { CIRCUITS_MOVED } from './circuit-copy.ts';
import { COUNT_MOVES, DECLARE_MOVES, EXACT } from './counters.ts';
import {
  ALL_LOADED,
  COUNT_ENDED,
  DECLARE_ENDED,
  ENDED_MOVES,
  LEAVE_DEAD,
  LOAD_ARCHIVED,
  LOAD_DEAD,
} from './ended-moves.ts';
import { JOIN_FAMILIES } from './families.ts';
import { COUNT_HOT, HOT_MOVES, LOAD_MOVED, PASS_KEYS } from './hot-moves.ts';
import { type EndedKind, endedKind, endedRowOf, type HotKind, hotKind, hotRowOf, Luggage } from './moved-rows.ts';
import { MARK_CLAIMS, RELEASE_CLAIMS } from './result-claims.ts';
import { overtakenIf, type Values } from './session.ts';

/** A part of a transaction, and the parameters that it names. */
export interface Work {
  readonly work: string;
  readonly values: Values;
}

const QUEUES_MOVED = overtakenIf(
  "EXISTS (SELECT 1 FROM chokaq.revisions WHERE name = 'queues' AND value <> @queues_revision)",
);
const CIRCUITS_AS_KNOWN = overtakenIf(CIRCUITS_MOVED);

/** Counts the moves that held in their operation, in their transaction: whoever carries it on, and whenever a node dies. */
const COUNT_AFFECTED = `
  DECLARE @affected TABLE (id NVARCHAR(100) ${EXACT} NOT NULL PRIMARY KEY, moves BIGINT NOT NULL);
  INSERT INTO @affected SELECT j.id, j.moves FROM OPENJSON(@affected_rows) WITH (id NVARCHAR(100) '$.id', moves BIGINT '$.moves') j;
  UPDATE chokaq.operations SET affected = operations.affected + a.moves
  FROM @affected a WHERE a.id = operations.id AND operations.finished_at IS NULL;
  ${overtakenIf('@@ROWCOUNT <> @affected_count')}`;

/** `circuits` guards and stores what the round made of them; `known` are the values of what starts were decided on. */
export function workOf(round: Round, circuits: Work, known: Values): Work {
  const luggage = new Luggage();
  const hot = hotWork(round, luggage, known);
  const ended = endedWork(round, luggage);
  const affected = affectedWork(round);
  const texts = luggage.loadTexts();
  return {
    work: [
      DECLARE_MOVES,
      texts.text,
      hot.load,
      ended.load,
      affected.work,
      circuits.work,
      hot.work,
      ended.work,
      COUNT_MOVES,
    ].join(' '),
    values: {
      ...texts.values,
      ...hot.values,
      ...ended.values,
      ...affected.values,
      ...circuits.values,
      ...luggage.values(),
    },
  };
}

interface Loaded extends Work {
  readonly load: string;
}

const NOTHING: Loaded = { load: '', work: '', values: {} };

function hotWork({ hot, picture }: Round, luggage: Luggage, known: Values): Loaded {
  if (hot.length === 0) return NOTHING;
  const kinds = new Set(hot.map(hotKind));
  const rows = hot.map((move, n) => hotRowOf(move, n, luggage));
  const starts = kinds.has('start') ? { queues_revision: picture.queuesRevision, ...known } : {};
  return {
    load: [LOAD_MOVED, kinds.has('start') ? `${QUEUES_MOVED} ${CIRCUITS_AS_KNOWN}` : ''].join(' '),
    work: hotStatements(hot, kinds).join(' '),
    values: { moved_rows: JSON.stringify(rows), moved_count: rows.length, ...starts },
  };
}

function hotStatements(hot: readonly HotMove[], kinds: ReadonlySet<HotKind>): string[] {
  const beside: readonly [(move: HotMove) => boolean, string][] = [
    [releasesClaim, RELEASE_CLAIMS],
    [marksClaim, MARK_CLAIMS],
    [({ transition }) => transition.attempt !== undefined, RECORD_ATTEMPTS],
    [({ transition, row }) => transition.attempt !== undefined && isBeyondKept(row), TRIM_ATTEMPTS],
  ];
  const order = Object.keys(HOT_MOVES) as HotKind[];
  return [
    COUNT_HOT,
    ...(kinds.has('bury') ? [JOIN_FAMILIES] : []),
    ...beside.filter(([isNeeded]) => hot.some(isNeeded)).map(([, text]) => text),
    ...order.filter(kind => kinds.has(kind)).map(kind => HOT_MOVES[kind]),
    ...(hot.some(passesKey) ? [PASS_KEYS] : []),
  ];
}

function releasesClaim(move: HotMove): boolean {
  const kind = hotKind(move);
  return hasOperation(move) && (kind === 'giveBack' || kind === 'bury');
}

function marksClaim(move: HotMove): boolean {
  const kind = hotKind(move);
  return hasOperation(move) && (kind === 'start' || kind === 'succeed');
}

function hasOperation({ row }: HotMove): boolean {
  return row.result_ttl_ms !== null && row.idempotency_key !== null;
}

function passesKey(move: HotMove): boolean {
  const kind = hotKind(move);
  const { holds_key: holdsKey, idempotency_key: key } = move.row;
  return (kind === 'succeed' || kind === 'bury') && holdsKey === 1 && key !== null;
}

function endedWork({ ended }: Round, luggage: Luggage): Loaded {
  if (ended.length === 0) return NOTHING;
  const kinds = new Set(ended.map(endedKind));
  const rows = ended.map((move, n) => endedRowOf(move, n, luggage));
  const isOnlyRemoved = kinds.size === 1 && kinds.has('remove');
  const loads = [DECLARE_ENDED, isOnlyRemoved ? '' : LOAD_DEAD, kinds.has('remove') ? LOAD_ARCHIVED : '', ALL_LOADED];
  const order = Object.keys(ENDED_MOVES) as EndedKind[];
  const moves = order.filter(kind => kinds.has(kind)).map(kind => ENDED_MOVES[kind]);
  const leaves = kinds.has('resurrect') || kinds.has('purge') ? [LEAVE_DEAD] : [];
  return {
    load: loads.join(' '),
    work: [COUNT_ENDED, ...moves, ...leaves].join(' '),
    values: { ended_rows: JSON.stringify(rows), ended_count: rows.length },
  };
}

function affectedWork({ affected }: Round): Work {
  if (affected.size === 0) return NOTHING;
  const rows = Array.from(affected, ([id, moves]) => ({ id, moves }));
  return { work: COUNT_AFFECTED, values: { affected_rows: JSON.stringify(rows), affected_count: rows.length } };
}
