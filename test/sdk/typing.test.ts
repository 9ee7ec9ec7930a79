// Owns the proof of what the compiler lets through: each program is checked as a user's would be, under the strictest and the plainest options.
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const FOLDER = import.meta.dirname;
const HEAD = `
import { ChokaQ, defineJob, newJobId, rawJson, type Codec, type Job } from '@chokaq/sdk';
import { createProfile, idempotent, MemoryIdempotencyStore } from '@chokaq/sdk/receiver';
import { z } from 'zod';
interface Types { 'email.send.v1': { to: string; subject?: string }; 'tick.v1': null }
const any = new ChokaQ({ url: 'http://127.0.0.1:8080' });
const typed = new ChokaQ<Types>({ url: 'http://127.0.0.1:8080' });
interface Email { readonly to: string; readonly subject?: string; readonly at: Date; readonly lines: { n: number }[] }
const SendEmail = defineJob<Email>('email.send.v1', { queue: 'mail', idempotencyKey: p => p.to, resultTtl: '24h' });
const email: Email = { to: 'a', at: new Date(), lines: [] };
class SendEmailJob implements Job {
  static readonly type = 'email.send.v1';
  static readonly queue = 'mail';
  readonly id = newJobId();
  constructor(readonly to: string, readonly at: Date) {}
  get idempotencyKey() { return this.to; }
  describe() { return this.to; }
}
const Validated = defineJob('v.v1', { schema: z.object({ to: z.string(), n: z.number().default(1) }) });
declare function exactly<T>(): <U>(value: U & ([T] extends [U] ? ([U] extends [T] ? unknown : never) : never)) => void;
const profile = createProfile('p');
`;

const FINE: readonly string[] = [
  'any.enqueue(SendEmail(email), { delay: "5m", priority: 3 });',
  'any.enqueue(new SendEmailJob("a", new Date()));',
  'any.enqueue("whatever", { a: [1, null, { b: "c" }], at: new Date() });',
  'any.enqueue("whatever", rawJson("1"));',
  'any.enqueue(SendEmail(rawJson("{}")));',
  'typed.enqueue("email.send.v1", { to: "a" }); typed.enqueue("tick.v1", null);',
  'typed.enqueue("email.send.v1", rawJson("{}"));',
  'any.enqueueBatch([SendEmail(email), { job: new SendEmailJob("a", new Date()), delay: "1s" }, { type: "a", payload: 1 }]);',
  'profile.handle(SendEmail, (job, ctx) => { exactly<string>()(job.at); exactly<number>()(ctx.attempt); exactly<{ n: number }[]>()(job.lines); });',
  'profile.handle(SendEmailJob, job => { exactly<{ readonly to: string; readonly at: string }>()(job); });',
  'profile.handle(Validated, job => { exactly<number>()(job.n); }); any.enqueue(Validated({ to: "a" }));',
  'profile.handle(SendEmail, idempotent(job => job.to, { store: new MemoryIdempotencyStore() }));',
  'const Big = defineJob<{ n: bigint }>("b", { codec: { toJson: p => String(p.n), fromJson: v => ({ n: BigInt(String(v)) }) } }); profile.handle(Big, job => { exactly<bigint>()(job.n); });',
  'defineJob<{ a?: string | null; b: readonly [number, string]; c: Record<string, boolean> | null }>("x.v1");',
  'defineJob<unknown>("x.v1")({ a: 1 }); defineJob<Email>(["email.send.v2", "email.send.v1"]);',
  'for await (const job of any.jobs.list({ state: "dead" })) exactly<string>()(job.id);',
  'any.api.GET("/queues/{name}", { params: { path: { name: "a" } } });',
];

const WRONG: readonly (readonly [why: string, program: string, said: RegExp])[] = [
  ['wrong payload', 'SendEmail({ ...email, to: 1 });', /not assignable to type 'string'/],
  ['missing member', 'SendEmail({ to: "a" });', /missing the following properties|not assignable/],
  ['unknown type key', 'typed.enqueue("email.sent.v1", { to: "a" });', /email\.sent\.v1/],
  ['wrong payload by key', 'typed.enqueue("email.send.v1", { too: "a" });', /to/],
  ['wrong option', 'any.enqueue(SendEmail(email), { delai: "5m" });', /delai/],
  ['BigInt', 'defineJob<{ n: bigint }>("x");', /BigInt needs a codec/],
  ['BigInt inside', 'defineJob<{ list: { n: bigint }[] }>("x");', /BigInt needs a codec/],
  ['function', 'defineJob<{ f: () => void }>("x");', /a function cannot be carried/],
  ['undefined', 'defineJob<{ a: string | undefined }>("x");', /undefined and symbols vanish/],
  ['Map', 'defineJob<{ m: Map<string, string> }>("x");', /send plain data/],
  ['stream', 'defineJob<{ s: ReadableStream }>("x");', /send plain data/],
  ['instance with methods', 'class S { call() {} } defineJob<{ s: S }>("x");', /a function cannot be carried/],
  ['BigInt by key', 'any.enqueue("x", { n: 1n });', /BigInt needs a codec/],
  ['function by key', 'any.enqueue("x", { f() {} });', /a function cannot be carried/],
  [
    'BigInt in a class',
    'class B implements Job { static type = "b"; id = newJobId(); n = 1n; } any.enqueue(new B());',
    /BigInt needs a codec/,
  ],
  ['no id', 'class C { static type = "c"; to = "a"; } any.enqueue(new C());', /id/],
  ['handler of another shape', 'profile.handle(SendEmail, (job: { to: number }) => job);', /number/],
  ['class without a type', 'class D implements Job { id = newJobId(); } profile.handle(D, () => 1);', /type/],
  ['validated payload', 'Validated({ to: 1 });', /not assignable to type 'string'/],
  ['unknown route', 'any.api.GET("/nothing");', /argument/],
];

const OPTIONS: Readonly<Record<string, ts.CompilerOptions>> = {
  strictest: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.asynciterable.d.ts'],
    types: [],
  },
  plain: { strict: true, types: ['node'], lib: ['lib.es2022.d.ts'] },
};

/** What the compiler says to each program; all stand in one file, each within a function of its own. */
function diagnose(programs: readonly string[], options: ts.CompilerOptions): string[] {
  const path = join(FOLDER, 'programs.ts');
  const text = HEAD + programs.map((program, at) => `async function program${at}() { ${program} }\n`).join('');
  const all = {
    ...options,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    noEmit: true,
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(all);
  const { fileExists, getSourceFile } = host;
  host.fileExists = name => name === path || fileExists(name);
  host.getSourceFile = (name, version, ...rest) =>
    name === path ? ts.createSourceFile(name, text, version) : getSourceFile(name, version, ...rest);
  const program = ts.createProgram([path], all, host);
  const said = programs.map(() => '');
  for (const { start = 0, messageText } of ts.getPreEmitDiagnostics(program, program.getSourceFile(path))) {
    const line = text.slice(0, start).split('\n').length - HEAD.split('\n').length;
    said[line] = `${said[line] ?? ''}${ts.flattenDiagnosticMessageText(messageText, '\n')}\n`;
  }
  return said;
}

test.each(Object.entries(OPTIONS))(
  'under %s options: what is right compiles, and what is wrong is told why',
  (_name, options) => {
    const said = diagnose([...FINE, ...WRONG.map(([, program]) => program)], options);
    expect(FINE.map((program, at) => [program, said[at]])).toEqual(FINE.map(program => [program, '']));
    const wrong = WRONG.map(([why, , expected], at) => ({ why, expected, said: said[FINE.length + at] ?? '' }));
    expect(wrong.filter(each => !each.expected.test(each.said))).toEqual([]);
    expect(said).toHaveLength(FINE.length + WRONG.length);
  },
);
