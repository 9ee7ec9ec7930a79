// Looks at the tables of a SQLite database with the queries of look.sql, beside a service that runs or without one.
//
//   npm run build && node dist/examples/look.js data/chokaq.db
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

interface Look {
  readonly title: string | undefined;
  readonly statement: Database.Statement;
}

const path = process.argv[2] ?? 'data/chokaq.db';
const queries = readFileSync(join(import.meta.dirname, '../../examples/look.sql'), 'utf8');

// Readers never stand in the way of the service, and see what is committed.
// Exported, so that both live as long as the process: Node.js 24 may abort when an object of better-sqlite3 12 becomes garbage.
export const database: Database.Database = new Database(path, { readonly: true, fileMustExist: true });
export const looks: readonly Look[] = [...queries.matchAll(/^-- (.+)\n(SELECT[^;]+);/gm)].map(
  ([, title, sql = '']) => ({
    title,
    statement: database.prepare(sql),
  }),
);

for (const { title, statement } of looks) {
  console.log(`\n${title}`);
  console.table(statement.all());
}
database.close();
