// Owns one run of the demo: service and handlers start, jobs flow in, every one is watched to its end, and the result is true.
import { setTimeout as pause } from 'node:timers/promises';
import { type ChokaQ, rawJson, type Schemas } from '@chokaq/sdk';
import { createClient } from './client.ts';
import { ExampleHandlers } from './handlers.ts';
import { demoJobs } from './jobs.ts';
import { createProgress, type Progress } from './progress.ts';
import { Receipts } from './receipts.ts';
import { DemoService } from './service.ts';
import { retriesOf, type Summary, summarise } from './summary.ts';

const BATCH = 40;
const LOOK_EVERY_MS = 500;
const WATCH_LIMIT_MS = 50_000;

export class Demo {
  readonly service: DemoService;
  readonly #folder: string;
  readonly #run = `demo-${Date.now().toString(36)}`;
  readonly #jobs = demoJobs(this.#run);
  readonly #receipts = new Receipts(this.#jobs);
  readonly #handlers = new ExampleHandlers(this.#receipts);
  readonly #client: ChokaQ;
  #progress: Progress | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.service = new DemoService(folder, line => this.#say(line));
    this.#client = createClient(() => this.service.url);
  }

  async play(): Promise<Summary> {
    await this.#prepare();
    print('', `Enqueueing ${this.#jobs.length} jobs, every payload of @octokit/webhooks-examples among them:`);
    this.#progress = createProgress(this.#jobs.length);
    const beganAt = performance.now();
    const [listed] = await Promise.all([this.#watch(beganAt), this.#post()]);
    this.hush();
    return summarise({
      posted: this.#jobs,
      listed,
      receipts: this.#receipts,
      restarts: this.service.restarts,
      seconds: (performance.now() - beganAt) / 1000,
    });
  }

  /** What a person can try now; every line can be pasted as it is. */
  get invitation(): readonly string[] {
    const { url } = this.service;
    const json = `-H 'content-type: application/json'`;
    const refused = this.#jobs.find(job => job.type === 'demo.refused.v1')?.id;
    return [
      'The service and the handlers go on running. Look around:',
      `  ${url}/docs`,
      `  ${url}/jobs`,
      `  ${url}/dlq`,
      'Post a job of your own; read why a refused one is dead; repair and resurrect it:',
      `  curl -s ${url}/jobs ${json} -d '{"type":"demo.hello.v1","payload":{"hello":"world"}}'`,
      `  curl -s ${url}/dlq/${refused}`,
      `  curl -s ${url}/dlq/${refused}/resurrect ${json} -d '{"payload":{"approved":true}}'`,
    ];
  }

  /** Takes the progress bars off the screen. */
  hush(): void {
    this.#progress?.stop();
    this.#progress = undefined;
  }

  /** Service first, since its running calls need the handlers. */
  async stop(): Promise<void> {
    this.hush();
    await this.service.stop();
    this.#handlers.close();
  }

  async #prepare(): Promise<void> {
    await Promise.all([this.service.start(), this.#handlers.listen()]);
    const { url, pid } = this.service;
    print(`The service is listening on ${url} (process ${pid}, database and log in ${this.#folder}).`);
    const lines = await this.#handlers.register(this.#client);
    print('', 'Five example handlers are registered:', ...lines.map(line => `  ${line}`));
  }

  async #post(): Promise<void> {
    for (let from = 0; from < this.#jobs.length; from += BATCH) {
      const batch = this.#jobs.slice(from, from + BATCH).map(job => job.json);
      await this.#client.enqueueBatch(rawJson(`{"jobs":[${batch.join(',')}]}`));
    }
  }

  /** Asks the service until every job has ended, or the time is up. */
  async #watch(beganAt: number): Promise<readonly Schemas['ListedJob'][]> {
    for (;;) {
      const listed = await this.#client.jobs.list({ tag: this.#run, limit: 200 }).all();
      const archived = listed.filter(job => job.state === 'succeeded').length;
      const dead = listed.filter(job => job.state === 'dead').length;
      this.#progress?.show({ posted: listed.length, archived, dead, retries: retriesOf(listed) });
      if (archived + dead === this.#jobs.length || performance.now() - beganAt > WATCH_LIMIT_MS) return listed;
      await pause(LOOK_EVERY_MS);
    }
  }

  #say(line: string): void {
    if (this.#progress) this.#progress.say(line);
    else print(line);
  }
}

export function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
