// Owns the plug: two service processes on one SQLite file under the law of two nodes.
import type Database from 'better-sqlite3';
import { World } from './fixture/world.ts';
import { twoNodesSuite } from './two-nodes.suite.ts';

twoNodesSuite('one SQLite file', async () => {
  const world = await World.create();
  let count: Database.Statement<[], number> | undefined;
  const owned = () => {
    count ??= world.connect().prepare<[], number>('SELECT count(*) FROM jobs_hot WHERE status > 0').pluck();
    return count.get() ?? 0;
  };
  return { world, owned, close: () => world.end() };
});
