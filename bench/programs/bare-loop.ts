// Owns the baseline of P3: an undici loop that posts the same bodies to the same webhook, and keeps no promise at all.
import { Pool } from 'undici';
import { serve } from '../program.ts';
import { payload } from '../work.ts';

export interface BareLoop {
  readonly url: string;
  readonly calls: number;
  readonly inFlight: number;
}

async function run({ url, calls, inFlight }: BareLoop): Promise<void> {
  const { origin, pathname } = new URL(url);
  const bodies = Array.from({ length: calls }, (_, n) => Buffer.from(payload(n)));
  const pool = new Pool(origin, { connections: inFlight, pipelining: 1 });
  const headers = { 'content-type': 'application/json' };
  const lane = async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      const answer = await pool.request({ method: 'POST', path: pathname, headers, body });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`the webhook answered ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  await pool.close();
}

serve(null, run);
