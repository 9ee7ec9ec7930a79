// Owns how an operator's changes to a job that is not running are read and checked.
import { parseInstant } from '../domain/instant.ts';
import { type Job, LIMITS } from '../domain/job.ts';
import type { JobEdits } from '../domain/lifecycle.ts';
import { checkPayloadSize, readDelay, readTags } from './draft.ts';
import { Faults } from './faults.ts';
import type { EnqueueRules } from './jobs.ts';
import type { HandlerRegistry } from './registry.ts';

/** What an operator wants changed; absent = as stored. A delay counts from now, `dueAt` is an RFC 3339 instant. */
export interface EditDraft {
  readonly payload?: Uint8Array;
  readonly tags?: readonly string[];
  readonly priority?: number;
  readonly delay?: string;
  readonly dueAt?: string;
}

export interface EditRules {
  readonly registry: HandlerRegistry;
  readonly rules: EnqueueRules;
}

/** Throws with all faults of the draft. `now` is the database's time, epoch ms. */
export function readEdits(draft: EditDraft, { maxPayloadBytes }: EnqueueRules, now: number): JobEdits {
  const faults = new Faults();
  const at = '#';
  const { payload, priority } = draft;
  if (payload) checkPayloadSize(payload, { at, faults, maxPayloadBytes });
  const tags = draft.tags && readTags(draft.tags, { at, faults });
  const inMs = readDelay(draft.delay, { at, faults });
  const due =
    draft.dueAt === undefined ? (inMs === undefined ? undefined : { inMs }) : readDueAt(draft.dueAt, now, faults);
  faults.check();
  return {
    ...(payload && { payload }),
    ...(tags && { tags }),
    ...(priority !== undefined && { priority }),
    ...(due && { due }),
  };
}

/** A past instant means now, as at an enqueue. */
function readDueAt(text: string, now: number, faults: Faults): JobEdits['due'] {
  const at = parseInstant(text);
  if (at === undefined)
    faults.add('#/dueAt', 'is not an existing RFC 3339 instant with an offset, such as 2026-11-30T12:00:00Z');
  else if (at > now + LIMITS.delayMs) faults.add('#/dueAt', 'is more than 10 years away');
  else return at > now ? { at } : { inMs: 0 };
  return undefined;
}

/** Why a dead job cannot run again as it is stored, or null when it can; asks the registry as it is. */
export function obstacle(
  { type }: Job,
  payload: Uint8Array | null,
  { registry, rules }: EditRules,
): 'noHandler' | 'schema' | null {
  const handler = registry.find(type);
  if (handler === undefined) return rules.requireRegisteredTypes ? 'noHandler' : null;
  return payload !== null && registry.flaw(handler, payload) !== null ? 'schema' : null;
}

/** A job that would die again before its first attempt is better refused here. */
export async function checkRunnable(job: Job, edits: JobEdits, { registry, rules }: EditRules): Promise<void> {
  if (!registry.find(job.type)) await registry.search();
  const handler = registry.find(job.type);
  const faults = new Faults();
  if (!handler && rules.requireRegisteredTypes) faults.add('#', `${job.type} has no handler`, 'type-not-registered');
  const payload = edits.payload ?? job.payload;
  const flaw = handler && payload && registry.flaw(handler, payload);
  if (flaw) faults.add('#/payload', flaw);
  faults.check();
}
