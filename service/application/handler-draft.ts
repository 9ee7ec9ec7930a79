// Owns the making of a handler from what was put: limits, headers, secret and schema, and every fault with its place.
import type { CircuitPolicy, Handler } from '../domain/handler.ts';
import { headerFlaw } from '../domain/handler-header.ts';
import { type AttemptLimitsDraft, readAttemptLimits } from './attempt-limits.ts';
import type { Faults } from './faults.ts';
import { checkSchema } from './payload-schema.ts';
import { type Range, readDuration } from './values.ts';

const CIRCUIT_TIME: Range = { min: 1_000, max: 86_400_000 };
const SECRET_BYTES: Range = { min: 24, max: 64 };

export interface CircuitDraft {
  readonly failureThreshold?: number;
  readonly window?: string;
  readonly breakTime?: string;
  readonly maxBreakTime?: string;
  readonly probeTimeout?: string;
}

/** A handler as put: durations are texts. */
export interface HandlerDraft extends AttemptLimitsDraft {
  readonly url: string;
  readonly secret?: string;
  readonly fatalStatuses?: readonly number[];
  readonly circuit?: CircuitDraft;
  readonly headers?: Readonly<Record<string, string>>;
  readonly schema?: Handler['schema'];
  readonly concurrency?: number | null;
}

/** What the draft says, but for the secrets and the times that depend on what is stored. */
export type ReadHandler = Pick<
  Handler,
  'type' | 'url' | 'attempts' | 'fatalStatuses' | 'circuit' | 'headers' | 'schema' | 'concurrency'
>;

/** `type` is a valid key. `urlRefusal` is the delivery's own rule about addresses. */
export function readHandlerDraft(
  type: string,
  draft: HandlerDraft,
  urlRefusal: (url: string) => string | null,
  faults: Faults,
): ReadHandler {
  const refusal = urlRefusal(draft.url);
  if (refusal !== null) faults.add('#/url', refusal);
  checkSecret(draft.secret, faults);
  return {
    type,
    url: draft.url,
    attempts: readAttemptLimits(draft, '#', faults),
    fatalStatuses: readFatalStatuses(draft.fatalStatuses ?? [], faults),
    circuit: readCircuit(draft.circuit ?? {}, faults),
    headers: readHeaders(draft.headers ?? {}, faults),
    schema: readSchema(draft.schema ?? null, faults),
    concurrency: draft.concurrency ?? null,
  };
}

function checkSecret(secret: string | undefined, faults: Faults): void {
  if (secret === undefined) return;
  const text = secret.replace(/^whsec_/, '');
  const bytes = Buffer.from(text, 'base64');
  const canonical = bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
  if (secret.startsWith('whsec_') && canonical && bytes.length >= SECRET_BYTES.min && bytes.length <= SECRET_BYTES.max)
    return;
  faults.add('#/secret', `must be whsec_ and the base64 of ${SECRET_BYTES.min} to ${SECRET_BYTES.max} bytes`);
}

function readFatalStatuses(statuses: readonly number[], faults: Faults): readonly number[] {
  for (const [index, status] of statuses.entries()) {
    if (status < 300) faults.add(`#/fatalStatuses/${index}`, 'would call a success fatal');
  }
  return statuses;
}

function readCircuit(draft: CircuitDraft, faults: Faults): Partial<CircuitPolicy> {
  const read = (name: 'window' | 'breakTime' | 'maxBreakTime' | 'probeTimeout') =>
    readDuration(draft[name], CIRCUIT_TIME, `#/circuit/${name}`, faults);
  const windowMs = read('window');
  const breakTimeMs = read('breakTime');
  const maxBreakTimeMs = read('maxBreakTime');
  const probeTimeoutMs = read('probeTimeout');
  if (breakTimeMs !== undefined && maxBreakTimeMs !== undefined && maxBreakTimeMs < breakTimeMs)
    faults.add('#/circuit/maxBreakTime', 'must not be shorter than breakTime');
  return {
    ...(draft.failureThreshold !== undefined && { failureThreshold: draft.failureThreshold }),
    ...(windowMs !== undefined && { windowMs }),
    ...(breakTimeMs !== undefined && { breakTimeMs }),
    ...(maxBreakTimeMs !== undefined && { maxBreakTimeMs }),
    ...(probeTimeoutMs !== undefined && { probeTimeoutMs }),
  };
}

/** Names in lower case; the same name in two cases is one header too many. */
function readHeaders(headers: Readonly<Record<string, string>>, faults: Faults): Readonly<Record<string, string>> {
  const read = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const pointer = `#/headers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const flaw = read.has(name.toLowerCase()) ? 'is given twice' : headerFlaw(name, value);
    if (flaw !== null) faults.add(pointer, flaw);
    read.set(name.toLowerCase(), value);
  }
  return Object.fromEntries(read);
}

function readSchema(schema: Handler['schema'], faults: Faults): Handler['schema'] {
  if (schema === null) return null;
  try {
    checkSchema(schema);
  } catch (error) {
    faults.add('#/schema', error instanceof Error ? error.message.slice(0, 500) : 'cannot be compiled');
  }
  return schema;
}
