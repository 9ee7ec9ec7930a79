// Owns the audit log: rows that are only ever added, but for refusals by scope, which are counted.
import type { AuditCursor, AuditEntry, AuditFilter, AuditPage, AuditStore, ScopeRefusals } from '../../ports/audit.ts';
import { type AuditValues, auditRowFrom, jsonOrNull } from '../audit-rows.ts';
import { EXACT } from './counters.ts';
import { markedOrNull, unmarked } from './json-rows.ts';
import type { Session } from './session.ts';

/** A page ends early, with a cursor to go on, when its filter has made it look at so many rows. */
const EXAMINED_PER_PAGE = 10_000;

const RECORD = {
  work: `
    INSERT INTO chokaq.audit_log (at, actor, key_id, action, target, filter, affected, outcome, request_id, details)
    VALUES (@now, @actor, @key_id, @action, @target, @filter, @affected, @outcome, @request_id, @details);`,
};

const REFUSE = {
  work: `
    DECLARE @minute BIGINT = (@now - @now % 60000) / 60000;
    DECLARE @refused TABLE (
      actor NVARCHAR(255) ${EXACT} NULL, key_id NVARCHAR(100) ${EXACT} NOT NULL, action NVARCHAR(100) ${EXACT} NOT NULL,
      target NVARCHAR(510) ${EXACT} NOT NULL, details NVARCHAR(MAX) NULL, count INT NOT NULL);
    INSERT INTO @refused
    SELECT ${unmarked('j.actor')}, j.key_id, j.action, ${unmarked('j.target')}, ${unmarked('j.details')}, j.count
    FROM OPENJSON(@refusals) WITH (
      actor NVARCHAR(255) '$.actor', key_id NVARCHAR(100) '$.key', action NVARCHAR(100) '$.action',
      target NVARCHAR(510) '$.target', details NVARCHAR(MAX) '$.details', count INT '$.count') j;
    UPDATE chokaq.audit_log SET count = audit_log.count + r.count
    FROM (SELECT key_id, target, SUM(count) AS count FROM @refused GROUP BY key_id, target) r
    WHERE r.key_id = audit_log.key_id AND r.target = audit_log.target AND audit_log.minute = @minute;
    INSERT INTO chokaq.audit_log (at, actor, key_id, action, target, affected, outcome, details, count, minute)
    SELECT @now, MAX(r.actor), r.key_id, MAX(r.action), r.target, 0, 'forbidden', MAX(r.details), SUM(r.count), @minute
    FROM @refused r
    WHERE NOT EXISTS (SELECT 1 FROM chokaq.audit_log a WHERE a.key_id = r.key_id AND a.target = r.target AND a.minute = @minute)
    GROUP BY r.key_id, r.target;`,
};

const RANGE = 'at >= @after AND at < @before AND (at < @from_at OR (at = @from_at AND seq < @from_seq))';

/** The last row that this page may look at, found first: what is recorded meanwhile moves nothing into it or out of it. */
const LIST = `
  DECLARE @end_at BIGINT, @end_seq BIGINT;
  IF @actor IS NOT NULL OR @action IS NOT NULL OR @target IS NOT NULL
    SELECT @end_at = at, @end_seq = seq FROM chokaq.audit_log WHERE ${RANGE}
    ORDER BY at DESC, seq DESC OFFSET ${EXAMINED_PER_PAGE - 1} ROWS FETCH NEXT 1 ROWS ONLY;
  SELECT @end_at AS at, @end_seq AS seq;
  SELECT TOP (@rows) seq, at, actor, key_id, action, target, filter, affected, outcome, request_id, details, count
  FROM chokaq.audit_log
  WHERE ${RANGE} AND (@end_at IS NULL OR at > @end_at OR (at = @end_at AND seq >= @end_seq))
    AND (@actor IS NULL OR actor = @actor) AND (@action IS NULL OR action = @action) AND (@target IS NULL OR target = @target)
  ORDER BY at DESC, seq DESC;`;

export function auditOver(session: Session): AuditStore {
  return {
    record: async entry => void (await session.write('recordAudit', RECORD, valuesOf(entry))),
    refuse: async refusals => {
      if (refusals.length === 0) return;
      await session.write('refuseScopes', REFUSE, { refusals: JSON.stringify(refusals.map(refusedRow)) });
    },
    list: (filter, limit, after) => listAudit(session, { filter, limit, after }),
  };
}

function valuesOf(entry: AuditEntry) {
  const { actor, action, target, affected, outcome } = entry;
  const texts = { filter: jsonOrNull(entry.filter), details: jsonOrNull(entry.details) };
  return { actor, key_id: entry.keyId, action, target, affected, outcome, request_id: entry.requestId, ...texts };
}

function refusedRow({ actor, keyId, action, route, count, details }: ScopeRefusals): object {
  const texts = { actor: markedOrNull(actor), target: markedOrNull(route), details: markedOrNull(jsonOrNull(details)) };
  return { key: keyId, action, count, ...texts };
}

interface AuditQuery {
  readonly filter: AuditFilter;
  readonly limit: number;
  readonly after: AuditCursor | null;
}

async function listAudit(session: Session, { filter, limit, after }: AuditQuery): Promise<AuditPage> {
  const { actor = null, action = null, target = null, ...range } = filter;
  const answer = await session.read('listAudit', LIST, {
    ...{ actor, action, target, rows: limit + 1 },
    ...{ after: range.after ?? 0, before: range.before ?? Number.MAX_SAFE_INTEGER },
    ...{ from_at: after?.at ?? Number.MAX_SAFE_INTEGER, from_seq: after?.id ?? Number.MAX_SAFE_INTEGER },
  });
  const rows = answer.rows<AuditValues>(1).map(auditRowFrom);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length > limit && last) return { items, next: { at: last.at, id: last.id } };
  const end = answer.row<{ readonly at: number | null; readonly seq: number | null }>();
  return { items, next: end?.at == null || end.seq === null ? null : { at: end.at, id: end.seq } };
}
