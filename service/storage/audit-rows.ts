// Owns the reading and writing of values in the audit log: how a stored row becomes an entry, and objects texts.
import type { AuditRow } from '../ports/audit.ts';

export interface AuditValues {
  readonly seq: number;
  readonly at: number;
  readonly actor: string | null;
  readonly key_id: string | null;
  readonly action: string;
  readonly target: string | null;
  readonly filter: string | null;
  readonly affected: number | null;
  readonly outcome: string;
  readonly request_id: string | null;
  readonly details: string | null;
  readonly count: number;
}

export function auditRowFrom(row: AuditValues): AuditRow {
  return {
    id: row.seq,
    at: row.at,
    actor: row.actor ?? '',
    keyId: row.key_id,
    action: row.action,
    target: row.target,
    filter: parsed(row.filter),
    affected: row.affected,
    outcome: row.outcome,
    count: row.count,
    requestId: row.request_id,
    details: parsed(row.details),
  };
}

export function jsonOrNull(value: object | null): string | null {
  return value && JSON.stringify(value);
}

function parsed<T extends object>(text: string | null): T | null {
  return text === null ? null : JSON.parse(text);
}
