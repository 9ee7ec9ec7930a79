// Owns the operations on statistics.
import type { Request } from 'express';
import { parseInstant } from '../../domain/instant.ts';
import type { ApiParts, Operations } from '../operation.ts';
import { presentSeries, presentStats } from '../present-stats.ts';
import { sendJson } from '../reply.ts';

export function statsOperations({ stats }: ApiParts): Operations {
  return {
    async getStats(_req, res) {
      sendJson(res, 200, presentStats(await stats.read()));
    },

    async getSeries(req, res) {
      const { step, queue } = queryOf(req);
      const series = await stats.series({ from: instantIn(req, 'from'), to: instantIn(req, 'to'), step, queue });
      sendJson(res, 200, presentSeries(series));
    },
  };
}

function queryOf(req: Request): Readonly<Record<string, string | undefined>> {
  return req.query as Readonly<Record<string, string | undefined>>;
}

/** The contract has checked that it is one. */
function instantIn(req: Request, name: string): number | undefined {
  const text = queryOf(req)[name];
  return text === undefined ? undefined : parseInstant(text);
}
