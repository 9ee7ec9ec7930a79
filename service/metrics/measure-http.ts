// Owns how requests are measured: around the whole application, from their arrival to the end of their answer.
import type { RequestListener, ServerResponse } from 'node:http';
import type { Metrics } from './metrics.ts';

/** Whatever else arrives is counted as `other`, so that nobody can invent values. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The same application; `routeOf` says, once it has answered, which path of the contract a request was for. */
export function measuredApp(
  app: RequestListener,
  metrics: Metrics,
  routeOf: (res: ServerResponse) => string | undefined,
): RequestListener {
  return (req, res) => {
    const startedAt = performance.now();
    // Now: the application turns HEAD into GET.
    const method = METHODS.find(known => known === req.method) ?? 'other';
    res.once('close', () => {
      // Whoever went away before the answer has no status.
      const status = res.headersSent ? String(res.statusCode) : 'none';
      const labels = { method, route: routeOf(res) ?? 'other', status };
      metrics.observe('http', labels, (performance.now() - startedAt) / 1_000);
    });
    app(req, res);
  };
}
