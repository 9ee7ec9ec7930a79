// Owns the list of everything a storage thread can be asked to do, by name.
import { apply } from './apply.ts';
import { listAttempts } from './attempts.ts';
import { listAudit, recordAudit, refuseScopes } from './audit.ts';
import { check } from './check.ts';
import { listCircuits, openCircuit, resetCircuit } from './circuits.ts';
import { claim } from './claim.ts';
import { topFamilies } from './families.ts';
import { get } from './get.ts';
import { heardHandlers, listHandlers, putHandler, removeHandler } from './handlers.ts';
import { heartbeat, stale } from './heartbeat.ts';
import { insert } from './insert.ts';
import { createKey, listKeys, reconcileFileKeys, revokeKey, touchKeys } from './keys.ts';
import { list } from './list.ts';
import { acknowledgeQueues, announceNode, drainNode, forgetNode, listNodes } from './nodes.ts';
import {
  advanceOperation,
  beginOperation,
  cancelOperation,
  failOperation,
  getOperation,
  makeSecret,
  readSecret,
  releaseOperations,
  takeOperation,
  unfinishedOperations,
} from './operations.ts';
import type { Parcel } from './parcel.ts';
import { configureQueue, getQueue, listQueues, removeQueue } from './queues.ts';
import { retain } from './retain.ts';
import type { Session } from './session.ts';
import { changeSettings, readSettings } from './settings.ts';
import { readSeries, readStats } from './stats.ts';
import { markDead, surveyDead } from './survey.ts';

/** Run inside a write transaction that they share with others. */
export const WRITES = {
  insert,
  claim,
  apply,
  heartbeat,
  retain,
  configureQueue,
  removeQueue,
  putHandler,
  heardHandlers,
  removeHandler,
  openCircuit,
  resetCircuit,
  announceNode,
  acknowledgeQueues,
  drainNode,
  forgetNode,
  createKey,
  revokeKey,
  reconcileFileKeys,
  touchKeys,
  recordAudit,
  refuseScopes,
  changeSettings,
  makeSecret,
  beginOperation,
  takeOperation,
  advanceOperation,
  failOperation,
  cancelOperation,
  releaseOperations,
} as const;

/** Change nothing, and run alone. */
export const READS = {
  check,
  get,
  list,
  listAttempts,
  stale,
  listQueues,
  getQueue,
  listHandlers,
  listNodes,
  listKeys,
  listAudit,
  listCircuits,
  readSettings,
  topFamilies,
  readStats,
  readSeries,
  readSecret,
  markDead,
  surveyDead,
  getOperation,
  unfinishedOperations,
} as const;

export type Writes = typeof WRITES;
export type Reads = typeof READS;

type Verb = (session: Session, input: never, parts: readonly Uint8Array[]) => Parcel<unknown>;

/** What a verb is asked with, and what it answers. */
export type InputOf<V extends Verb> = Parameters<V>[1];
export type AnswerOf<V extends Verb> = ReturnType<V>;

export function verbNamed(
  name: string,
): (session: Session, input: unknown, parts: readonly Uint8Array[]) => Parcel<unknown> {
  const verb: unknown = Object.hasOwn(WRITES, name) ? WRITES[name as keyof Writes] : READS[name as keyof Reads];
  if (typeof verb !== 'function') throw new Error(`storage knows no verb ${name}`);
  return verb as ReturnType<typeof verbNamed>;
}

export function isRead(name: string): boolean {
  return Object.hasOwn(READS, name);
}
