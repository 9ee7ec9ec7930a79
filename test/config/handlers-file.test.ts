// Owns the proof of what a file of handlers may say, and that each fault is told with its line and without a secret.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { HandlersFile } from '#service/config/handlers-file.js';
import { ConfigError } from '#service/config.js';

const folder = mkdtempSync(join(tmpdir(), 'chokaq-handlers-'));
const path = join(folder, 'handlers.yaml');
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string, env: Record<string, string> = {}): HandlersFile {
  writeFileSync(path, text);
  return new HandlersFile(path, env);
}

/** Without the name of the setting and of the file: `line: what`. */
function faults(text: string, env: Record<string, string> = {}): string[] {
  try {
    read(text, env);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const prefix = `CHOKAQ_HANDLERS_FILE: ${path}:`;
    return (error as ConfigError).faults.map(fault => {
      expect(fault.startsWith(prefix), fault).toBe(true);
      return fault.slice(prefix.length);
    });
  }
}

describe('What it may say', () => {
  test('is what PUT takes, with the type, variables, shared parts, and a secret of its own or in a file', () => {
    writeFileSync(join(folder, 'secret'), `${SECRET}\n`);
    const text = `
handlers:
  - &shared
    type: ' email.send.v1 '
    url: \${BASE}/hooks
    secret: \${MAIL_SECRET}
    timeout: 30s
    retry: { base: 3s, maxAge: null }
    headers: { authorization: 'Bearer \${TOKEN}', x-literal: '$\${TOKEN}' }
  - <<: *shared
    type: '*'
    secret: ${SECRET}
    force: true
  - { type: 邮件.v1, url: 'http://x/', secretFile: ${folder}/secret, schema: { type: object } }`;
    const env = { BASE: 'https://app.example.com', MAIL_SECRET: SECRET, TOKEN: 't' };
    const shared = {
      ...{ url: 'https://app.example.com/hooks', secret: SECRET, timeout: '30s', retry: { base: '3s', maxAge: null } },
      headers: { authorization: 'Bearer t', 'x-literal': `$${'{TOKEN}'}` },
    };
    expect(read(text, env).entries).toEqual([
      { type: 'email.send.v1', draft: shared, force: false },
      { type: '*', draft: shared, force: true },
      { type: '邮件.v1', draft: { url: 'http://x/', secret: SECRET, schema: { type: 'object' } }, force: false },
    ]);
  });

  test('may be that there are none', () => expect(read('handlers: []').entries).toEqual([]));
});

describe('What is wrong with it', () => {
  test.each([
    ['', '1: must hold a list under `handlers` (`handlers: []` for none), and nothing else.'],
    ['- a', '1: must hold a list under'],
    ['handlers:\n  a: {}', '1: must hold a list under'],
    ['handlers: []\nkeys: []', '1: must hold a list under'],
    ['handlers:\n  - type: a\n    type: b', '3: is not YAML (duplicate key).'],
    ['handlers:\n  - {type: a', '2: is not YAML (bad indent).'],
    ['handlers:\n  - 5', '2: handlers[0] must be a handler with type, url and secret.'],
  ])('%j', (text, said) => {
    const [first = '', ...more] = faults(text);
    expect(first).toContain(said);
    expect(more).toEqual([]);
  });

  const good = { type: 'a.v1', url: 'http://x/', secret: SECRET };
  test.each([
    [{ ...good, type: undefined }, ' must be the type key of jobs, such as email.send.v1.'],
    [{ ...good, type: '..' }, '.type must not be . or ...'],
    [{ ...good, url: undefined }, '.url is required.'],
    [{ ...good, url: `$${'{NONE}'}/x` }, '.url names the variable NONE, which is not set.'],
    [{ ...good, secret: undefined }, ' needs exactly one of secret and secretFile.'],
    [{ ...good, secretFile: '/x' }, ' needs exactly one of secret and secretFile.'],
    [{ ...good, secret: undefined, secretFile: '/none/such' }, '.secretFile cannot be read: ENOENT'],
    [{ ...good, secret: 'whsec_of-the-file' }, '.secret must be whsec_ and the base64 of 24 to 64 bytes.'],
    [{ ...good, secret: 5 }, '.secret must be whsec_'],
    [{ ...good, force: 'yes' }, '.force must be true or false.'],
    [{ ...good, urls: [] }, '.urls is not a known member.'],
    [{ ...good, retry: { base: 'soon' } }, '.retry.base is not a duration such as'],
    [{ ...good, circuit: { breaktime: '1s' } }, '.circuit.breaktime is not a known member.'],
    [{ ...good, fatalStatuses: [404, 200] }, '.fatalStatuses[1] must be at least 300.'],
    [{ ...good, headers: { 'a/b~c': 5 } }, '.headers.a/b~c must be a text.'],
    [{ ...good, headers: ['a'] }, '.headers must be an object.'],
    [{ ...good, concurrency: 0 }, '.concurrency must be at least 1.'],
  ])('%j', (entry, said) => {
    const found = faults(JSON.stringify({ handlers: [good, { ...good, type: 'b.v1' }, entry] }));
    const [only = ''] = found.filter(fault => !fault.includes('handlers[0] too'));
    expect(only).toContain(`1: handlers[2]${said}`.replace('[2] must be the', '[2].type must be the'));
    expect(found.join()).not.toContain('of-the-file');
  });

  test('is told all at once, each fault with the line it stands in', () => {
    const text = [
      ...[
        'handlers:',
        '  - type: a.v1',
        '    url: http://x',
        '    retry:',
        '      base: never',
        `    secret: ${SECRET}`,
      ],
      ...['  - type: a.v1', `    secret: ${SECRET}`],
    ].join('\n');
    expect(faults(text)).toEqual([
      '5: handlers[0].retry.base is not a duration such as 250ms, 30s, 5m, 1h30m or 7d.',
      '7: handlers[1].url is required.',
      '7: handlers[1].type is that of handlers[0] too.',
    ]);
  });

  test('is that it is not there', () => {
    expect(() => new HandlersFile(join(folder, 'none.yaml'), {})).toThrow(/none\.yaml cannot be read: ENOENT/);
  });

  test('is that its aliases stand for more than there is room for', () => {
    const rows = Array.from({ length: 9 }, (_, at) => `  - &a${at + 1} [${Array(9).fill(`*a${at}`).join(', ')}]`);
    expect(faults(`handlers:\n  - &a0 [x]\n${rows.join('\n')}`)).toHaveLength(1);
  });

  test('the service finds more, and it is told in the same way', () => {
    const file = read(`handlers:\n  - type: a.v1\n    url: ftp://x\n    secret: ${SECRET}`);
    expect(
      file.refusal([
        { pointer: '#/0/url', detail: 'must be http' },
        { pointer: '#/0', detail: 'is odd' },
      ]).faults,
    ).toEqual([
      `CHOKAQ_HANDLERS_FILE: ${path}:3: handlers[0].url must be http.`,
      `CHOKAQ_HANDLERS_FILE: ${path}:2: handlers[0] is odd.`,
    ]);
  });
});
