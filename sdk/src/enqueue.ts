// Owns what is sent for a job: the contract's options, under those of the call, around a payload whose text is made once.
import { type Contract, dissect, isJob, type Job } from './contract.ts';
import { newJobId } from './job-id.ts';
import { jsonText, RawJson } from './json-text.ts';
import type { components } from './openapi.gen.ts';
import { validated } from './schema.ts';

export type NewJob = components['schemas']['NewJob'];

/** What a call may say about its job; it wins over the contract. */
export type EnqueueOptions = Omit<NewJob, 'type' | 'payload'>;

/** One job of a batch, in any form. */
export type BatchItem =
  | Job
  | ({ readonly job: Job } & EnqueueOptions)
  | ({ readonly type: string; readonly payload: unknown } & EnqueueOptions);

export interface Draft {
  readonly id: string;
  /** The body of `POST /jobs`. */
  readonly text: string;
}

export async function draftOf(job: Job, options: EnqueueOptions): Promise<Draft> {
  const { contract, payload, idempotencyKey } = dissect(job);
  const own = idempotencyKey === null ? {} : { idempotencyKey };
  const fields = { id: job.id, ...contract.defaults, ...own, ...options };
  return draft(contract.types[0], fields, await payloadText(contract, payload));
}

export function draftOfType(type: string, payload: unknown, options: EnqueueOptions): Draft {
  return draft(type, { id: newJobId(), ...options }, jsonText(payload));
}

export function draftOfItem(item: BatchItem): Promise<Draft> {
  if (isJob(item)) return draftOf(item, {});
  if ('job' in item) {
    const { job, ...options } = item;
    return draftOf(job, options);
  }
  const { type, payload, ...options } = item as { type: string; payload: unknown } & EnqueueOptions;
  return Promise.resolve().then(() => draftOfType(type, payload, options));
}

async function payloadText({ schema, codec, types }: Contract, payload: unknown): Promise<string> {
  if (payload instanceof RawJson) {
    if (schema) await validated(schema, JSON.parse(payload.text), `the payload of ${types[0]}`);
    return payload.text;
  }
  const plain = codec ? codec.toJson(payload as never) : payload;
  // The given value is sent, not what the validator makes of it: that is for the handler.
  if (schema) await validated(schema, codec ? JSON.parse(jsonText(plain)) : plain, `the payload of ${types[0]}`);
  return jsonText(plain);
}

function draft(type: string, fields: EnqueueOptions, payload: string): Draft {
  const { delay, runAt, ...rest } = fields;
  const id = fields.id ?? newJobId();
  // Of the two ways to say when, an instant was said for this very job.
  const when = runAt === undefined ? { delay } : { runAt };
  const given = Object.entries({ ...rest, ...when, id, type }).filter(([, value]) => value !== undefined);
  const envelope = jsonText(Object.fromEntries(given), 'job');
  return { id, text: `${envelope.slice(0, -1)},"payload":${payload}}` };
}
