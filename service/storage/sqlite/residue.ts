// Owns the filters that no index answers: each as one literal condition on a row.
import type { JobFilter } from '../../ports/store.ts';
import type { JobTable } from './get.ts';
import type { Value } from './statements.ts';

interface Condition {
  readonly sql: string;
  readonly values: readonly Value[];
}

const HAS_TAG = 'EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)';
const TAG_CONTAINS = 'EXISTS (SELECT 1 FROM json_each(tags) WHERE instr(lower(value), ?) > 0)';

/** What is left of the filter for a table read through `index` in the order of `at`. */
export function residueOf(filter: JobFilter, table: JobTable, at: string, index: string): Condition[] {
  const found: Condition[] = [];
  const add = (sql: string, ...values: readonly (Value | undefined)[]) => {
    const given = values.filter(value => value !== undefined);
    if (given.length === values.length) found.push({ sql, values: given });
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
  add(HAS_TAG, filter.tag);
  add('last_response_status = ?', filter.responseStatus);
  add('creator_key_id = ?', filter.creatorKeyId);
  return filter.search === undefined ? found : [...found, contains(filter.search, textsOf(filter, table))];
}

function textsOf({ searchErrors = true }: JobFilter, table: JobTable): string[] {
  if (!searchErrors) return ['id', 'type'];
  return ['id', 'type', 'last_error', ...(table === 'dlq' ? ['error_details'] : [])];
}

/** SQLite's lower() folds ASCII only, which is the rule; instr() is literal. */
function contains(search: string, texts: readonly string[]): Condition {
  const wanted = search.replace(/[A-Z]/g, letter => letter.toLowerCase());
  const parts = texts.map(column => `instr(lower(${column}), ?) > 0`);
  return { sql: `(${[...parts, TAG_CONTAINS].join(' OR ')})`, values: [...texts, 'tags'].map(() => wanted) };
}
