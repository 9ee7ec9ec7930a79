// Owns who a node is: an owner name that no restarted process inherits, and whether an owner on this host is gone.
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** `host~pid namespace/pid/start of the process/boot`; a new one for each boot of the service. */
export function newOwner(): string {
  return [hostId(), process.pid, processStart(process.pid) ?? 'unknown', randomUUID()].join('/');
}

/** True only when the owner ran on this host and its process is known to be gone. Owners elsewhere are never known to be. */
export function isKnownGone(owner: string): boolean {
  const [host, pidText, startedAt] = owner.split('/');
  const pid = Number(pidText);
  if (host !== hostId() || !Number.isInteger(pid)) return false;
  if (!processExists(pid)) return true;
  const start = processStart(pid);
  return start !== undefined && startedAt !== 'unknown' && start !== startedAt;
}

/** Two containers can share a host name but not a process-id space: both together say where a process id means something. */
export function hostId(): string {
  return `${hostname().replaceAll('/', '-')}~${pidNamespace()}`;
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return process.platform;
  }
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Clock ticks since boot at which the process started, if that can be known (Linux); `defunct` for one killed and not yet reaped. */
function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? 'defunct' : rest[18];
  } catch {
    return undefined;
  }
}
