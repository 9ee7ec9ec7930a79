// Owns the reading of what a call has just changed: a storage that goes away in between must not make the change look undone.
import { DomainError, isStorageAway } from '../domain/errors.ts';

/** `done` is the sentence that stays true whatever the reading meets. */
export async function readBack<T>(done: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!isStorageAway(error)) throw error;
    const detail = `${done}, but storage went away before the answer could be read. Do not repeat it: read it in a few seconds.`;
    throw new DomainError('storage-unavailable', detail, [], error);
  }
}
