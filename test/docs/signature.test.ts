// Owns the proof that the code shown for verifying a signature does what it says, in every language that is shown.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { page } from './fixture/page.ts';

interface Case {
  readonly name: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isSigned: boolean;
}

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
const BODY = '{"to":"ünï@example.com","amount":9007199254740993}';

/** One moment for all cases: the second may change between two of them. */
const NOW = new Date();

function signed(secret = SECRET, at = NOW): Case['headers'] {
  const id = 'job-1:r2';
  const signature = new Webhook(secret).sign(id, at, BODY);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signature,
  };
}

const minutes = (count: number) => new Date(NOW.getTime() + count * 60_000);
const both = `${signed(OTHER)['webhook-signature']} ${signed()['webhook-signature']}`;

const CASES: readonly Case[] = [
  { name: 'signed by us', secret: SECRET, headers: signed(), body: BODY, isSigned: true },
  {
    name: 'while the secret is rotated',
    secret: SECRET,
    headers: { ...signed(), 'webhook-signature': both },
    body: BODY,
    isSigned: true,
  },
  { name: 'another secret', secret: OTHER, headers: signed(), body: BODY, isSigned: false },
  { name: 'another body', secret: SECRET, headers: signed(), body: `${BODY} `, isSigned: false },
  { name: 'too old', secret: SECRET, headers: signed(SECRET, minutes(-6)), body: BODY, isSigned: false },
  { name: 'from the future', secret: SECRET, headers: signed(SECRET, minutes(6)), body: BODY, isSigned: false },
  { name: 'no headers', secret: SECRET, headers: {}, body: BODY, isSigned: false },
  {
    name: 'no number as timestamp',
    secret: SECRET,
    headers: { ...signed(), 'webhook-timestamp': 'now' },
    body: BODY,
    isSigned: false,
  },
];

const VERDICTS = CASES.map(({ isSigned }) => isSigned);
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chokaq-docs-'));
  writeFileSync(join(folder, 'cases.json'), JSON.stringify(CASES));
});
afterAll(() => rmSync(folder, { recursive: true }));

function codeIn(language: string): string {
  return (
    page('docs/handlers.md')
      .blocksIn(language)
      .find(({ text }) => text.includes('webhook-signature'))?.text ?? ''
  );
}

function run(program: string, file: string, code: string): boolean[] {
  writeFileSync(join(folder, file), code);
  return JSON.parse(execFileSync(program, [file], { cwd: folder, encoding: 'utf8' }));
}

describe('the code in docs/handlers.md accepts what is signed and nothing else', () => {
  test('Node.js', () => {
    const rest = `
      import { readFileSync } from 'node:fs';
      const cases = JSON.parse(readFileSync('cases.json', 'utf8'));
      console.log(JSON.stringify(cases.map(({ secret, headers, body }) => isSigned(secret, headers, Buffer.from(body)))));`;
    expect(run(process.execPath, 'verify.mjs', codeIn('js') + rest)).toEqual(VERDICTS);
  });

  test('Python', () => {
    const rest = `
import json
cases = json.load(open("cases.json", encoding="utf-8"))
print(json.dumps([is_signed(case["secret"], case["headers"], case["body"].encode()) for case in cases]))
`;
    expect(run('python3', 'verify.py', codeIn('python') + rest)).toEqual(VERDICTS);
  });
});
