// A complete ChokaQ handler in plain Node.js: it verifies the signature, does the work once, and answers with a verdict.
//
//   npm run build && CHOKAQ_SECRET=whsec_… node dist/examples/handlers/node.js
//
// Register it first; the answer holds the secret, once:
//   curl -X PUT http://127.0.0.1:8080/handlers/email.send.v1 \
//        -H 'content-type: application/json' -d '{"url":"http://127.0.0.1:3000/"}'
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isSigned } from './signature.ts';

const secret = process.env.CHOKAQ_SECRET ?? '';
const port = Number(process.env.PORT ?? 3000);

/** Delivery is at least once. In real life this is a unique key in your database, written with the effect itself. */
const done = new Set<string>();

createServer(async (request, response) => {
  response.statusCode = await handle(request);
  response.end();
}).listen(port, '127.0.0.1', () => console.log(`waiting for jobs on http://127.0.0.1:${port}/`));

async function handle(request: IncomingMessage): Promise<number> {
  const body = await buffer(request);
  if (!isSigned(secret, request.headers, body)) return 401;
  const id = String(request.headers['webhook-id']);
  if (done.has(id)) return 204;

  const { to } = JSON.parse(body.toString('utf8'));
  if (typeof to !== 'string') return 422; // can never work: straight to the dead-letter queue
  console.log(`attempt ${request.headers['chokaq-attempt']} of ${id}: sending to ${to}`);
  done.add(id);
  return 204; // a crash before this line is answered with another attempt
}
