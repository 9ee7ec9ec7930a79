// Owns where a demo keeps its database: one folder per running demo, kept for the next run.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface DemoFolder {
  readonly path: string;
  leave(): void;
}

/** The first of `data/demo`, `data/demo-2`, … that no running demo holds. */
export function enterFolder(root: string): DemoFolder {
  for (let n = 1; ; n++) {
    const path = n === 1 ? root : `${root}-${n}`;
    const lock = join(path, 'demo.pid');
    mkdirSync(path, { recursive: true });
    if (!isHeld(lock)) rmSync(lock, { force: true });
    if (take(lock)) return { path, leave: () => rmSync(lock, { force: true }) };
  }
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isHeld(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
