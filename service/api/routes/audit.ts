// Owns the reading of the audit log.
import type { Request } from 'express';
import { formatInstant, parseInstant } from '../../domain/instant.ts';
import type { AuditFilter, AuditRow } from '../../ports/audit.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import type { ApiParts, Operations } from '../operation.ts';
import { sendJson } from '../reply.ts';

/** As the contract leaves it. */
interface AuditQuery extends Pick<AuditFilter, 'actor' | 'action' | 'target'> {
  readonly after?: string;
  readonly before?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export function auditOperations({ audit }: ApiParts): Operations {
  return {
    async listAudit(req, res) {
      const { limit, cursor } = queryOf(req);
      const after = readCursor('audited', cursor);
      const { items, next } = await audit.list(filterOf(req), limit, after && { at: after.at, id: Number(after.id) });
      const nextCursor = writeCursor('audited', next && { at: next.at, id: String(next.id) });
      sendJson(res, 200, { items: items.map(presentRow), nextCursor });
    },
  };
}

function filterOf(req: Request): AuditFilter {
  const { actor, action, target, after, before } = queryOf(req);
  const filter = { actor, action, target, after: instant(after), before: instant(before) };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

function queryOf(req: Request): AuditQuery {
  return req.query as unknown as AuditQuery;
}

function instant(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseInstant(text);
}

function presentRow({ id, at, ...row }: AuditRow): object {
  return { id, at: formatInstant(at), ...row };
}
