// Owns what the demo enqueues: every payload of @octokit/webhooks-examples, and some jobs that are delayed, urgent or hopeless.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface DemoJob {
  readonly id: string;
  readonly type: string;
  readonly isGithub: boolean;
  /** Of the payload's bytes as they are posted. */
  readonly sha256: string;
  /** The job as a member of `POST /jobs/batch`: the payload's text goes in as it is, never parsed and written anew. */
  readonly json: string;
}

type Fields = Readonly<Record<string, unknown>>;

const LATE = [1, 2, 3, 4, 5, 6, 7, 8].map(seconds => `${seconds}s`);

/** All jobs of one run, in the order they are posted; what is urgent comes last and overtakes. */
export function demoJobs(run: string): DemoJob[] {
  const jobs: DemoJob[] = [];
  const add = (type: string, payload: string, fields: Fields) => {
    const id = `${run}-${String(jobs.length + 1).padStart(4, '0')}`;
    jobs.push(demoJob(id, type, payload, { ...fields, tags: [run] }));
  };
  for (const delay of LATE) add('demo.delayed.v1', JSON.stringify({ remindAfter: delay }), { queue: 'demo', delay });
  for (let n = 1; n <= 5; n++) add('demo.refused.v1', JSON.stringify({ invoice: n }), { queue: 'demo' });
  for (let n = 1; n <= 10; n++) add('demo.idle.v1', JSON.stringify({ sweep: n }), { queue: 'demo', priority: -100 });
  for (const { event, payload } of githubPayloads()) add(`github.${event}.v1`, payload, { queue: 'github' });
  for (let n = 1; n <= 10; n++) add('demo.urgent.v1', JSON.stringify({ alarm: n }), { queue: 'demo', priority: 1000 });
  return jobs;
}

function demoJob(id: string, type: string, payload: string, fields: Fields): DemoJob {
  const envelope = JSON.stringify({ id, type, ...fields });
  return {
    id,
    type,
    isGithub: type.startsWith('github.'),
    sha256: sha256(payload),
    json: `${envelope.slice(0, -1)},"payload":${payload}}`,
  };
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The examples of github.com and of every GitHub Enterprise Server version in the package. */
function githubPayloads(): { readonly event: string; readonly payload: string }[] {
  const root = dirname(createRequire(import.meta.url).resolve('@octokit/webhooks-examples/package.json'));
  const files = readdirSync(root)
    .map(folder => join(root, folder, 'index.json'))
    .filter(file => existsSync(file));
  const events: { name: string; examples: unknown[] }[] = files.flatMap(file => JSON.parse(readFileSync(file, 'utf8')));
  return events.flatMap(({ name, examples }) =>
    examples.map(example => ({ event: name, payload: JSON.stringify(example) })),
  );
}
