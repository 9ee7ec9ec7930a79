// Owns the last word of a run: what became of every job, taken from the service and from what the handlers really saw.
import type { Schemas } from '@chokaq/sdk';
import type { DemoJob } from './jobs.ts';
import type { Receipts } from './receipts.ts';

type ListedJob = Schemas['ListedJob'];

export interface Run {
  readonly posted: readonly DemoJob[];
  /** As the service lists them. */
  readonly listed: readonly ListedJob[];
  readonly receipts: Receipts;
  readonly restarts: number;
  readonly seconds: number;
}

export interface Summary {
  readonly lines: readonly string[];
  /** What did not match; empty when all is well. */
  readonly faults: readonly string[];
}

export function summarise(run: Run): Summary {
  const { posted, listed, receipts, restarts, seconds } = run;
  const github = new Set(posted.filter(job => job.isGithub).map(job => job.id));
  const archived = listed.filter(job => job.state === 'succeeded');
  const dead = listed.filter(job => job.state === 'dead');
  const githubArchived = archived.filter(job => github.has(job.id)).length;
  const lines = [
    `posted         ${posted.length} jobs: ${github.size} GitHub payloads and ${posted.length - github.size} others, in ${seconds.toFixed(1)} s`,
    `archived       ${archived.length} jobs, ${githubArchived} of ${github.size} GitHub payloads among them`,
    `dead           ${dead.length} jobs${dead.length > 0 ? `: ${byReason(dead)}` : ''}`,
    `byte for byte  ${receipts.equal.size} of ${receipts.equal.size + receipts.different.size} delivered payloads equal what was posted`,
    `retries        ${retriesOf(listed)}, with ${receipts.calls} calls in all, ${receipts.unsigned} of them without a valid signature`,
  ];
  if (receipts.foreignCalls > 0) lines.push(`also           ${receipts.foreignCalls} calls for jobs of earlier runs`);
  if (restarts > 0)
    lines.push(`service deaths ${restarts}: what it was running is dead as Zombie, since nobody knows how far it got`);
  return { lines, faults: faultsOf(run, archived, dead) };
}

export function retriesOf(jobs: readonly ListedJob[]): number {
  return jobs.reduce((sum, { attempts }) => sum + Math.max(0, attempts - 1), 0);
}

function faultsOf({ posted, listed, receipts, restarts }: Run, archived: ListedJob[], dead: ListedJob[]): string[] {
  const unexpected = dead.filter(job => !isExpectedDeath(job, restarts));
  const counts: Readonly<Record<string, number>> = {
    'jobs are not to be found': posted.length - new Set(listed.map(job => job.id)).size,
    'jobs have not ended': listed.length - archived.length - dead.length,
    'jobs died that should not': unexpected.length,
    'refused jobs are not dead': listed.filter(job => job.type === REFUSED && job.state !== 'dead').length,
    'archived jobs never reached their handler as posted': archived.filter(job => !receipts.equal.has(job.id)).length,
    'payloads arrived changed': receipts.different.size,
    'calls came without a valid signature': receipts.unsigned,
    'calls came before their job was due': receipts.early,
  };
  return Object.entries(counts).flatMap(([fault, count]) => (count === 0 ? [] : [`${count} ${fault}`]));
}

const REFUSED = 'demo.refused.v1';

/** The refused, and what was running when the service was killed. */
function isExpectedDeath({ type, failureReason }: ListedJob, restarts: number): boolean {
  return (type === REFUSED && failureReason === 'FatalError') || (restarts > 0 && failureReason === 'Zombie');
}

function byReason(dead: readonly ListedJob[]): string {
  const counts = new Map<string, number>();
  for (const { failureReason } of dead) counts.set(String(failureReason), (counts.get(String(failureReason)) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${reason} ${count}`).join(', ');
}
