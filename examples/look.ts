// Looks at the tables of a SQLite database with the queries of look.sql, beside a service that runs or without one.
//
//   npm run build && node dist/examples/look.js data/chokaq.db
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

const path = process.argv[2] ?? 'data/chokaq.db';
const queries = readFileSync(join(import.meta.dirname, '../../examples/look.sql'), 'utf8');

// Readers never stand in the way of the service, and see what is committed.
const database = new Database(path, { readonly: true, fileMustExist: true });
for (const [, title, sql = ''] of queries.matchAll(/^-- (.+)\n(SELECT[^;]+);/gm)) {
  console.log(`\n${title}`);
  console.table(database.prepare(sql).all());
}
database.close();
