// Owns how a node finds out whether a transaction of its own was committed whose answer it never got.
import type { Session } from './session.ts';

/** For the end of a transaction's work, with `@writer` and `@write_id`. */
export const RECORD_WRITE = `
  UPDATE chokaq.writes SET write_id = @write_id, at = @now WHERE writer = @writer;
  IF @@ROWCOUNT = 0 BEGIN
    DELETE FROM chokaq.writes WHERE at < @now - 86400000;
    INSERT INTO chokaq.writes (writer, write_id, at) VALUES (@writer, @write_id, @now);
  END`;

const LAST = 'SELECT write_id, at FROM chokaq.writes WHERE writer = @writer';

export interface LastWrite {
  readonly write_id: string;
  /** The time of its transaction, epoch ms. */
  readonly at: number;
}

/** For `decided` only, after the rows were read that the write in question may have changed. */
export async function lastWrite(session: Session, writer: string): Promise<LastWrite | undefined> {
  return (await session.readOnce(LAST, { writer })).row<LastWrite>();
}
