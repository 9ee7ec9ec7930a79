// Owns the proof that job contracts mean the same as values and as classes, for every option, and keep ids and keys apart.
import { type Codec, defineJob, type Job, type JobClass, newJobId, rawJson } from '@chokaq/sdk';
import { createProfile } from '@chokaq/sdk/receiver';
import { FakeChokaQ } from '@chokaq/sdk/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

interface Email {
  readonly to: string;
  readonly subject: string;
}

const SENT: Email = { to: 'a@example.com', subject: 'Hi' };
const schema = z.object({ to: z.string(), subject: z.string().max(100).default('none') });
const codec: Codec<Email> = {
  toJson: ({ to, subject }) => rawJson(`[${JSON.stringify(to)}, ${JSON.stringify(subject)}]`),
  fromJson: value => {
    const [to = '', subject = ''] = value as string[];
    return { to, subject };
  },
};

type Option = Readonly<Record<string, unknown>>;

interface Form {
  readonly contract: JobClass;
  make(): Job;
}

/** The same contract in both forms. */
const FORMS: Readonly<Record<string, (type: string | [string, ...string[]], option: Option, key?: boolean) => Form>> = {
  value: (type, option, key) => {
    const idempotencyKey = ({ to }: Email) => `welcome:${to}`;
    const contract = defineJob<Email>(type, { ...option, ...(key && { idempotencyKey }) });
    return { contract: contract as unknown as JobClass, make: () => contract(SENT) };
  },
  class: (type, option, key) => {
    class SendEmailJob implements Job {
      static readonly type = type;
      readonly id = newJobId();
      readonly to = SENT.to;
      readonly subject = SENT.subject;
      get idempotencyKey() {
        return key ? `welcome:${this.to}` : null;
      }
      send() {}
    }
    Object.assign(SendEmailJob, option);
    return { contract: SendEmailJob as unknown as JobClass, make: () => new SendEmailJob() };
  },
};

const OPTIONS: readonly Option[] = [
  { queue: 'mail' },
  { priority: 99 },
  { delay: '5m' },
  { resultTtl: '24h' },
  { onConflict: 'keep' },
  { maxAttempts: 7 },
  { timeout: '10s' },
  { retry: { base: '1s' } },
  { tags: ['welcome'] },
  { createdBy: 'signup' },
];

async function posted(job: Job, options = {}) {
  const fake = new FakeChokaQ();
  await fake.client().enqueue(job, options);
  return fake.jobs[0]?.posted;
}

describe.each(Object.entries(FORMS))('A contract as a %s', (_name, form) => {
  test('sends its fields, an id and the first type key, and nothing else', async () => {
    const job = form('email.send.v1', {}).make();
    expect(await posted(job)).toEqual({ id: job.id, type: 'email.send.v1', payload: SENT });
    expect(job.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each(OPTIONS)('sends its option %j, unless the call says otherwise', async option => {
    const [[name = '', value]] = Object.entries(option) as [[string, unknown]];
    expect((await posted(form('a', option, true).make()))?.[name]).toEqual(value);
    const other = { queue: 'other', priority: 1, delay: '1s', onConflict: 'wait', maxAttempts: 2, timeout: '1s' };
    const told = { ...other, resultTtl: '2m', retry: { base: '2s' }, tags: [], createdBy: 'me' };
    expect(await posted(form('a', option, true).make(), { [name]: told[name as keyof typeof told] })).toMatchObject({
      [name]: told[name as keyof typeof told],
    });
  });

  test('makes its idempotency key from the payload; a call may give another', async () => {
    const job = () => form('a', {}, true).make();
    expect((await posted(job()))?.idempotencyKey).toBe('welcome:a@example.com');
    expect((await posted(job(), { idempotencyKey: 'mine' }))?.idempotencyKey).toBe('mine');
    const bare = await posted(form('a', {}).make());
    expect(bare).not.toHaveProperty('idempotencyKey');
  });

  test('each job is one physical job: made twice it is stored twice, sent twice it is a resend', async () => {
    const fake = new FakeChokaQ();
    const { make } = form('a', {});
    const job = make();
    const answers = [];
    for (const each of [job, job, make()]) answers.push((await fake.client().enqueue(each)).duplicate);
    expect(answers).toEqual([false, true, false]);
    expect(new Set(fake.jobs.map(({ id }) => id)).size).toBe(2);
  });

  test('runAt of a call replaces the delay of the contract', async () => {
    const runAt = '2030-01-01T00:00:00Z';
    const sent = await posted(form('a', { delay: '5m' }).make(), { runAt });
    expect(sent).toMatchObject({ runAt });
    expect(sent).not.toHaveProperty('delay');
  });

  test('with several type keys sends the first and handles all', async () => {
    const { contract, make } = form(['email.send.v2', 'email.send.v1'], {});
    expect((await posted(make()))?.type).toBe('email.send.v2');
    const profile = createProfile('mailing').handle(contract, () => undefined);
    expect(profile.types).toEqual(['email.send.v2', 'email.send.v1']);
    for (const type of profile.types) {
      const fake = new FakeChokaQ();
      await fake.client().enqueue(type, SENT);
      expect((await fake.drain(profile)).succeeded).toHaveLength(1);
    }
  });

  test('gives handlers plain objects', async () => {
    const { contract, make } = form('a', {});
    const fake = new FakeChokaQ();
    await fake.client().enqueue(make());
    const got: unknown[] = [];
    await fake.drain(createProfile('p').handle(contract, job => void got.push(job)));
    expect(got).toEqual([SENT]);
    expect(Object.getPrototypeOf(got[0])).toBe(Object.prototype);
  });

  test('bound to a validator: checked when sent, checked and completed when received, registered', async () => {
    const { contract, make } = form('a', { schema });
    expect((await posted(make()))?.payload).toEqual(SENT);
    const bad = make();
    Object.assign(bad, 'payload' in bad ? { payload: { to: 1 } } : { subject: 'x'.repeat(101) });
    const refused = posted(bad);
    await expect(refused).rejects.toMatchObject({
      code: 'validation-failed',
      message: expect.stringMatching(/payload\.\w+/),
    });

    const got: unknown[] = [];
    const profile = createProfile('p').handle(contract, job => void got.push(job));
    const fake = new FakeChokaQ();
    await fake.client().enqueue('a', { to: 'x' });
    await fake.client().enqueue('a', { to: 1 });
    const { dead } = await fake.drain(profile);
    expect(got).toEqual([{ to: 'x', subject: 'none' }]);
    expect(dead).toMatchObject([{ failureReason: 'FatalError', attempts: 1 }]);

    await profile.register(fake.client(), { url: 'http://127.0.0.1:3000/' });
    const [handler] = await fake.client().handlers.list().all();
    expect(handler?.schema).toMatchObject({ type: 'object', required: ['to'] });
  });

  test('with a codec: written and read by it', async () => {
    const { contract, make } = form('a', { codec });
    const fake = new FakeChokaQ();
    await fake.client().enqueue(make());
    expect(fake.jobs[0]?.payloadText).toBe('["a@example.com", "Hi"]');
    const got: unknown[] = [];
    await fake.drain(createProfile('p').handle(contract, job => void got.push(job)));
    expect(got).toEqual([SENT]);
  });
});

describe('A class', () => {
  abstract class Message {
    readonly id = newJobId();
    #secret = 'mine';
    send() {
      return this.#secret;
    }
  }

  test('may inherit, have methods and #private fields, and its key as a field', async () => {
    class Sent extends Message {
      static readonly type = 'sent.v1';
      readonly to = 'x';
      readonly idempotencyKey = 'k';
    }
    expect(await posted(new Sent())).toMatchObject({ type: 'sent.v1', idempotencyKey: 'k', payload: { to: 'x' } });
    expect((await posted(new Sent()))?.payload).toEqual({ to: 'x' });
  });

  test('with a getter that no payload carries is refused where it is handled, and where it is enqueued', async () => {
    abstract class Greeting extends Message {
      readonly to = 'x';
      get text() {
        return `Hello ${this.to}`;
      }
    }
    class Greet extends Greeting {
      static readonly type = 'greet.v1';
    }
    class Write extends Message {
      static readonly type = 'write.v1';
      set text(_text: string) {}
    }
    const said = /^Greet\.text is a getter, which no payload carries; make it a method, or a field$/;
    expect(() => createProfile('p').handle(Greet, () => undefined)).toThrow(said);
    await expect(posted(new Greet())).rejects.toThrow(said);
    await expect(posted(new Write())).rejects.toThrow(/Write\.text/);
  });
});

test('exact text has the idempotency key of what it says', async () => {
  const Keyed = defineJob<Email>('k.v1', { idempotencyKey: ({ to }) => to });
  const Coded = defineJob<Email>('k.v1', { idempotencyKey: ({ to }) => to, codec });
  expect((await posted(Keyed(rawJson('{"to":"x"}'))))?.idempotencyKey).toBe('x');
  expect((await posted(Coded(rawJson('["y"]'))))?.idempotencyKey).toBe('y');
});
