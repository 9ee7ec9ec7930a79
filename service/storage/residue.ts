// Owns the filters that no index answers: each as one literal condition on a row.
import type { JobFilter } from '../ports/store.ts';
import type { JobTable } from './rows.ts';
import type { Condition, Dialect } from './streams.ts';

export interface Read {
  readonly table: JobTable;
  readonly index: string;
  readonly at: string;
}

/** What is left of the filter for a table read through `index` in the order of `at`. */
export function residueOf<Now>(filter: JobFilter, read: Read, dialect: Dialect<Now>): Condition<Now>[] {
  const { table, at, index } = read;
  const found: Condition<Now>[] = [];
  const add = (sql: string, value: string | number | undefined) => {
    if (value !== undefined) found.push({ sql, values: [value] });
  };
  if (!index.endsWith('_queue')) add('queue = ?', filter.queue);
  if (!index.endsWith('_type')) add('type = ?', filter.type);
  if (table === 'dlq' && !index.endsWith('_reason')) add('failure_reason = ?', filter.reason);
  if (table === 'dlq' && !index.endsWith('_family')) add('error_family = ?', filter.errorFamily);
  if (table === 'dlq' && at === 'created_at') {
    add('failed_at >= ?', filter.failedAfter);
    add('failed_at < ?', filter.failedBefore);
  }
  if (at === 'failed_at') {
    add('created_at >= ?', filter.createdAfter);
    add('created_at < ?', filter.createdBefore);
  }
  if (filter.tag !== undefined) found.push(dialect.hasTag(filter.tag));
  add('last_response_status = ?', filter.responseStatus);
  add('creator_key_id = ?', filter.creatorKeyId);
  return filter.search === undefined ? found : [...found, dialect.contains(textsOf(filter, table), filter.search)];
}

function textsOf({ searchErrors = true }: JobFilter, table: JobTable): string[] {
  if (!searchErrors) return ['id', 'type'];
  return ['id', 'type', 'last_error', ...(table === 'dlq' ? ['error_details'] : [])];
}

/** What is searched for, as the rule folds it: ASCII letters only. */
export function folded(text: string): string {
  return text.replace(/[A-Z]/g, letter => letter.toLowerCase());
}
