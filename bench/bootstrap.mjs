// Owns the start of the bench: compiles it with the service's own compiler, then runs it in this process.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const compiler = join(import.meta.dirname, '../node_modules/typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', import.meta.dirname], { stdio: ['ignore', 2, 2] });
if (status !== 0) process.exit(status ?? 1);
await import('./dist/main.js');
