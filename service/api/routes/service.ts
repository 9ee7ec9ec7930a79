// Owns the operations on the service itself: health, metrics, the contract, and what problems mean.
import type { Response } from 'express';
import type { Contract } from '../contract.ts';
import { type ApiParts, type HealthReport, type Operations, pathParameter } from '../operation.ts';
import { isProblemCode, PROBLEMS, type Refusal } from '../problem.ts';
import { send, sendJson, sendProblem } from '../reply.ts';

export function serviceOperations({ health, metrics }: ApiParts, contract: Contract): Operations {
  return {
    getLiveness: (_req, res) => sendHealth(res, health.live(), true),

    async getReadiness({ query }, res) {
      const isVerbose = query.verbose !== undefined && query.verbose !== 'false';
      sendHealth(res, await health.ready(), isVerbose);
    },

    async getMetrics(_req, res) {
      send(res, 200, metrics.contentType, await metrics.text());
    },

    getContractYaml: (_req, res) => send(res, 200, 'application/yaml', contract.yaml),

    getContractJson: (_req, res) => send(res, 200, 'application/json', contract.json),

    getProblem(req, res) {
      const code = pathParameter(req, 'code');
      if (isProblemCode(code)) return sendJson(res, 200, { code, ...PROBLEMS[code] });
      sendProblem(res, { code: 'not-found', detail: `No problem has the code ${code}.`, faults: [] });
    },
  };
}

export function sendHealth(res: Response, { status, checks }: HealthReport, isVerbose: boolean): void {
  if (status === 'failed') sendProblem(res, notReady(checks));
  else sendJson(res, 200, isVerbose ? { status, checks } : { status });
}

function notReady(checks: HealthReport['checks']): Refusal {
  const failing = Object.entries(checks).filter(([, state]) => state !== 'ok');
  const faults = failing.map(([name, state]) => ({ detail: `${name}: ${state}` }));
  return { code: 'not-ready', detail: 'Ask again after Retry-After seconds, or use another node.', faults };
}
