// Owns what the service asks of the record of errors: which of them have put most jobs into the DLQ.
import type { FailureReason } from '../domain/failure.ts';

/** Dead jobs of one reason whose error texts are the same but for numbers and ids (`domain/error-family.ts`). */
export interface ErrorFamily {
  /** Never reused for another family. */
  readonly id: number;
  readonly reason: FailureReason;
  readonly prefix: string;
  /** How many of them are in the DLQ now. */
  readonly count: number;
  /** When the last of them died, epoch ms, wherever it is now. */
  readonly newestAt: number;
}

export interface FamilyStore {
  /** The largest families, at most `limit`, from counters: the cost does not depend on how many jobs are dead. */
  top(limit: number): Promise<readonly ErrorFamily[]>;
}
