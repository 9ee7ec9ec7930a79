// Owns page compression: tables that only grow old are compressed where the edition of the server has it, and work as well where not.
import type sql from 'mssql';
import type { Log } from '../../log.ts';

/** What is written once and read seldom. Work to do is changed too often to be worth the time. */
const OLD_TABLES = ['jobs_archive', 'jobs_dlq', 'job_attempts', 'audit_log'] as const;

/** A rebuild keeps everybody from the table, so one that holds more is left to whoever runs the database. */
const MOST_ROWS = 10_000;
const LOCK_TIMEOUT_MS = 2_000;

/** As a text of its own, so that a server which cannot read it refuses that and nothing else. Clustered index and all others. */
const compress = (table: string) => `
  SET LOCK_TIMEOUT ${LOCK_TIMEOUT_MS};
  IF EXISTS (SELECT 1 FROM sys.partitions WHERE object_id = OBJECT_ID('${table}') AND data_compression <> 2)
    AND (SELECT SUM(rows) FROM sys.partitions WHERE object_id = OBJECT_ID('${table}') AND index_id <= 1) <= ${MOST_ROWS}
    EXEC('ALTER INDEX ALL ON ${table} REBUILD WITH (DATA_COMPRESSION = PAGE)');`;

/** Once the schema has been changed. `schema` is in brackets. Whatever happens here keeps no service from its start. */
export async function compressTables(pool: sql.ConnectionPool, schema: string, log?: Log): Promise<void> {
  for (const name of OLD_TABLES) {
    try {
      await pool.request().batch(compress(`${schema}.${name}`));
    } catch (err) {
      log?.event('tablesUncompressed', { table: name, err });
      return;
    }
  }
}
