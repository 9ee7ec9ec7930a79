// Owns actions on many jobs: how large they may be, what must be acknowledged first, how long a preview holds, and how often a batch is tried.
import type { FailureReason } from './failure.ts';

export const BULK_ACTIONS = ['resurrect', 'purge'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** What an operation does with its jobs: a bulk action, or the rejection of what waited for a handler that was removed. */
export type OperationAction = BulkAction | 'reject';

/** How an operation ends; what it has moved by then stays moved. */
export type OperationEnd = 'finished' | 'failed' | 'cancelled';

export const BULK = {
  /** Jobs that one action takes when nobody says how many, and the most it can be asked for. */
  jobs: 1_000,
  mostJobs: 100_000,
  /** Up to so many are done before the answer, more of them behind it. */
  atOnce: 1_000,
  samples: 10,
  /** A preview counts no further than the action can reach and so many jobs more. */
  countedBeyond: 100_000,
  previewLifeMs: 5 * 60_000,
  /** Small enough that fresh work gets its turn between two batches. */
  batch: 200,
  /** A batch that meets a bug is tried so often in all; then the operation has failed. */
  tries: 5,
} as const;

const FIRST_PAUSE_AFTER_BUG_MS = 1_000;

/** How long a batch waits after so many tries that met a bug. */
export function pauseAfterBugMs(failures: number): number {
  return failures === 0 ? 0 : FIRST_PAUSE_AFTER_BUG_MS * 2 ** (failures - 1);
}

/** Reasons after which nobody knows whether the job had its effects: running it again may repeat them. */
const UNKNOWN_EFFECT: readonly FailureReason[] = ['Zombie', 'Timeout'];

/** Whether somebody must say that he knows what running jobs that died of these reasons again can mean. */
export function needsAcknowledgement(action: BulkAction, reasons: readonly FailureReason[]): boolean {
  return action === 'resurrect' && reasons.some(reason => UNKNOWN_EFFECT.includes(reason));
}

/** Why a preview cannot be executed, as the end of a sentence, or null when it can. */
export function staleness(
  preview: { readonly action: BulkAction; readonly expiresAt: number },
  action: BulkAction,
  now: number,
): string | null {
  if (preview.action !== action) return `is for ${preview.action}`;
  return now < preview.expiresAt ? null : 'has expired';
}
