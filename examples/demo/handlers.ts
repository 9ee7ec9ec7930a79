// Owns the example handlers: five webhooks of different temper on one server, each verifying that ChokaQ is calling.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChokaQ, Schemas } from '@chokaq/sdk';
import { newSecret, Verifier } from '@chokaq/sdk/receiver';
import type { Receipts } from './receipts.ts';

interface Call {
  readonly attempt: number;
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

interface ExampleHandler {
  readonly type: string;
  readonly about: string;
  readonly settings: Partial<Schemas['NewHandler']>;
  answer(call: Call): Answer | Promise<Answer>;
}

const OK: Answer = { status: 200, text: 'thanks' };
const CALLS_PER_SECOND = 10;

/** Takes ten calls each second and sends the others away. */
function throttling(): ExampleHandler['answer'] {
  let second = 0;
  let calls = 0;
  return () => {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) [second, calls] = [now, 0];
    calls += 1;
    if (calls <= CALLS_PER_SECOND) return OK;
    return { status: calls % 2 === 0 ? 429 : 503, headers: { 'retry-after': '1' }, text: 'too many calls' };
  };
}

function examples(): Readonly<Record<string, ExampleHandler>> {
  return {
    good: {
      type: '*',
      about: 'well-behaved: takes every type without a handler of its own',
      settings: {},
      answer: () => OK,
    },
    flaky: {
      type: 'github.push.v1',
      about: 'flaky: its first attempt always fails',
      // So many failures at once would open its circuit, and this is about retries.
      settings: { maxAttempts: 3, retry: { base: '1s', jitter: '500ms' }, circuit: { failureThreshold: 1000 } },
      answer: ({ attempt }) => (attempt === 1 ? { status: 500, text: 'out of luck' } : OK),
    },
    throttling: {
      type: 'github.issues.v1',
      about: `throttling: ${CALLS_PER_SECOND} calls a second, the others get 429 or 503 with Retry-After`,
      settings: { maxAttempts: 50 },
      answer: throttling(),
    },
    slow: {
      type: 'github.pull_request.v1',
      about: 'slow: half a second for each call, five at a time',
      settings: { concurrency: 5, timeout: '30s' },
      answer: () => pause(500, OK, { ref: false }),
    },
    refusing: {
      type: 'demo.refused.v1',
      about:
        'refusing: answers 422, so its jobs go to the dead-letter queue until their payload says {"approved":true}',
      settings: {},
      answer: ({ body }) => (isApproved(body) ? OK : { status: 422, text: 'this invoice was never approved' }),
    },
  };
}

function isApproved(body: Buffer): boolean {
  return JSON.parse(body.toString('utf8'))?.approved === true;
}

export class ExampleHandlers {
  readonly #examples = examples();
  readonly #verifiers = new Map<string, Verifier>();
  readonly #receipts: Receipts;
  readonly #server: Server;

  constructor(receipts: Receipts) {
    this.#receipts = receipts;
    this.#server = createServer((request, response) => {
      this.#take(request, response).catch(() => response.destroy());
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Registers all five; answers a line about each. */
  async register(client: ChokaQ): Promise<string[]> {
    const { port } = this.#server.address() as AddressInfo;
    const lines: string[] = [];
    for (const [name, { type, about, settings }] of Object.entries(this.#examples)) {
      const url = `http://127.0.0.1:${port}/${name}`;
      this.#verifiers.set(name, new Verifier(await registered(client, type, { ...settings, url })));
      lines.push(`${type.padEnd(24)}${about}`);
    }
    return lines;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = (request.url ?? '/').slice(1);
    const example = this.#examples[name];
    const body = await buffer(request);
    const {
      status,
      headers = {},
      text = '',
    } = example ? await this.#answer(name, example, request, body) : { status: 404 };
    response.writeHead(status, { ...headers, 'content-type': 'text/plain' }).end(text);
  }

  async #answer(name: string, example: ExampleHandler, { headers }: IncomingMessage, body: Buffer): Promise<Answer> {
    const verifier = this.#verifiers.get(name);
    if (verifier === undefined) return { status: 503, text: 'not registered yet' };
    const header = (key: string) => String(headers[key] ?? '');
    const facts = { id: header('webhook-id'), timestamp: header('webhook-timestamp') };
    if (!(await verifier.isSigned({ ...facts, signatures: header('webhook-signature'), body }))) {
      this.#receipts.unsigned += 1;
      return { status: 401, text: 'the signature does not fit' };
    }
    this.#receipts.record(headers, body);
    return example.answer({ attempt: Number(headers['chokaq-attempt']), body });
  }
}

/** A secret is told once, when a handler is first registered; one kept from an earlier run gets a new secret. */
async function registered(client: ChokaQ, type: string, handler: Schemas['NewHandler']): Promise<string> {
  const { secret } = await client.handlers.put(type, handler);
  if (secret !== null) return secret;
  const fresh = newSecret();
  await client.handlers.put(type, { ...handler, secret: fresh });
  return fresh;
}
