// Owns the proof that payload bytes pass untouched and that everything else of a body is read strictly.
import { describe, expect, it } from 'vitest';
import { readEnvelope } from '#service/api/envelope.js';
import { DomainError } from '#service/domain/errors.js';

const text = (bytes: Uint8Array | undefined) => (bytes ? Buffer.from(bytes).toString('utf8') : undefined);
const read = (body: string) => readEnvelope(Buffer.from(body));

function refusal(body: string | Uint8Array): string {
  try {
    readEnvelope(typeof body === 'string' ? Buffer.from(body) : body);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.code).toBe('malformed-request');
    expect(error.faults).toHaveLength(1);
    return error.message;
  }
  throw new Error(`not refused: ${String(body).slice(0, 80)}`);
}

const DEEP = 100_000;
const PAYLOADS: Record<string, string> = {
  'a 64-bit integer': '9007199254740993',
  'a trailing zero': '1.0',
  'a number beyond doubles': '1e400',
  'negative zero': '-0',
  'key order with integer-like keys': '{"b":1,"10":2,"a":3,"2":4}',
  'duplicate keys': '{"a":1,"a":2,"\\u0061":3}',
  'a lone surrogate escape': '"\\ud83d"',
  'an escaped NUL': '"\\u0000"',
  'every short escape': '"\\"\\\\\\/\\b\\f\\n\\r\\t"',
  'escaped and plain letters': '"\\u00e9é\\u0041A"',
  'emoji, escaped and plain': '"\\ud83d\\ude00😀👩‍👩‍👧"',
  'white space inside': '{ "a" :\t[ 1 ,\r\n 2 ] }',
  'a member named payload': '{"payload":{"payload":1},"jobs":[{"payload":2}]}',
  'a member named __proto__': '{"__proto__":{"isAdmin":true}}',
  'DEL and the first printable characters': '"\u007f !#"',
  'brackets in strings': '"]}[{\\"]}"',
  'an empty object': '{}',
  'an empty array': '[]',
  'a bare null': 'null',
  'a bare true': 'true',
  '100 000 levels of arrays': '['.repeat(DEEP) + ']'.repeat(DEEP),
  '100 000 levels of objects': `${'{"a":'.repeat(DEEP)}0${'}'.repeat(DEEP)}`,
  '400 000 levels of arrays': '['.repeat(4 * DEEP) + ']'.repeat(4 * DEEP),
};

describe('A10 · The payload is the posted JSON text, byte for byte', () => {
  it.each(Object.entries(PAYLOADS))('%s', (_, payload) => {
    const one = read(`{"type":"a.v1","payload": \n${payload}\t ,"priority":3}`);
    expect(text(one.payloads.get('#/payload')) === payload).toBe(true);
    expect(one.body).toEqual({ type: 'a.v1', payload: null, priority: 3 });

    const many = read(
      `{"jobs":[{"payload":${payload},"type":"a"}, {"type":"b"},\n{"type":"c", "payload" : ${payload} }]}`,
    );
    expect([...many.payloads.keys()]).toEqual(['#/jobs/0/payload', '#/jobs/2/payload']);
    for (const slice of many.payloads.values()) expect(text(slice) === payload).toBe(true);
    expect(many.body).toEqual({
      jobs: [{ payload: null, type: 'a' }, { type: 'b' }, { type: 'c', payload: null }],
    });
  });

  it('is a view of the posted bytes, also when they lie inside a larger buffer', () => {
    const pool = Buffer.from('xxxx{"payload":[1, 2]}yyyy');
    const raw = new Uint8Array(pool.buffer, pool.byteOffset + 4, 18);
    expect(text(readEnvelope(raw).payloads.get('#/payload'))).toBe('[1, 2]');
  });

  it('finds a payload whose name is spelt with escapes', () => {
    const envelope = read('{"\\u0070aylo\\u0061d":1.0,"\\u006aobs":[{"\\u0070ayload":-0}]}');
    expect(text(envelope.payloads.get('#/payload'))).toBe('1.0');
    expect(text(envelope.payloads.get('#/jobs/0/payload'))).toBe('-0');
    expect(envelope.body).toEqual({ payload: null, jobs: [{ payload: null }] });
  });

  it('takes only the payload of the request and of its jobs, whatever else has that name', () => {
    const envelope = read('{"retry":{"payload":1},"payloads":2,"payloa":3,"jobs":{"payload":4}}');
    expect(envelope.payloads.size).toBe(0);
    expect(envelope.body).toEqual({ retry: { payload: 1 }, payloads: 2, payloa: 3, jobs: { payload: 4 } });
    expect(read('[{"payload":1}]')).toEqual({ body: [{ payload: 1 }], payloads: new Map() });
  });
});

describe('Members of the envelope', () => {
  it.each([
    ['{"type":"a","type":"b"}', 'type'],
    ['{"type":"a","\\u0074ype":"b"}', 'type'],
    ['{"payload":1,"payload":2}', 'payload'],
    ['{"payload":1,"p\\u0061yload":2}', 'payload'],
    ['{"jobs":[],"jobs":[]}', 'jobs'],
    ['{"jobs":[{"type":"a"},{"type":"a","queue":"q","type":"b"}]}', 'type'],
    ['{"jobs":[{"payload":1,"payload":1}]}', 'payload'],
    ['{"retry":{"base":"1s","base":"2s"}}', 'base'],
    ['{"schema":{"properties":[{"é":1},{"é":1,"\\u00e9":2}]}}', 'é'],
    ['{"":1,"":2}', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"10":1,"10":2}', '10'],
    ['[{"a":1,"a":2}]', 'a'],
    ['{"\\ud800":1,"\\ud800":2}', '\\ud800'],
  ])('stand once: %s is refused', (body, name) => {
    expect(refusal(body)).toContain(`each member once, but "${name}"`);
  });

  it.each([
    '{"a":1,"A":2}',
    '{"a":{"a":{"a":1}}}',
    '{"a":[{"a":1},{"a":1}]}',
    '{"\\ud800":1,"\\ud801":2}',
    '{"é":1,"e\\u0301":2}',
  ])('may look alike: %s is read', body => {
    expect(read(body).body).toEqual(JSON.parse(body));
  });

  it('named __proto__ are data and change no prototype', () => {
    const { body } = read('{"__proto__":{"isAdmin":true},"type":"a"}');
    expect(Object.keys(body as object)).toEqual(['__proto__', 'type']);
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect((body as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('are bounded in depth and number, so that nothing behind them meets more', () => {
    expect(read(`{"tags":${'['.repeat(999)}${']'.repeat(999)}}`).payloads.size).toBe(0);
    expect(refusal(`{"tags":${'['.repeat(1_000)}${']'.repeat(1_000)}}`)).toContain('at most 1000 levels');
    expect(refusal('['.repeat(3_000_000))).toContain('at most 1000 levels');
    const members = Array.from({ length: 100_001 }, (_, at) => `"m${at}":0`);
    expect(refusal(`{${members.join(',')}}`)).toContain('at most 100000 members');
    expect(read(`{${members.slice(1).join(',')}}`).payloads.size).toBe(0);
  });
});

describe('What is not JSON is refused with the place and what was expected', () => {
  it.each([
    ['', 'Expected a JSON value at line 1, column 1 (byte 0), found the end of the body.'],
    ['  \n ', 'Expected a JSON value at line 2, column 2 (byte 4), found the end of the body.'],
    ['{"type":"a",\n  "payload":é}', 'Expected a JSON value at line 2, column 13 (byte 25), found "é".'],
    ['{"é😀":tru}', 'Expected the rest of \'true\' at line 1, column 11 (byte 13), found "}".'],
    ['{"payload":[1,2}', "Expected ',' or ']' at line 1, column 16 (byte 15), found \"}\"."],
    ['{"payload":1', "Expected ',' or '}' at line 1, column 13 (byte 12), found the end of the body."],
    ['{"payload":1}}', 'Expected nothing more at line 1, column 14 (byte 13), found "}".'],
    ['{"a" 1}', 'Expected \':\' at line 1, column 6 (byte 5), found "1".'],
    ['{a:1}', 'Expected a string in double quotes at line 1, column 2 (byte 1), found "a".'],
    [
      '"a\u0001"',
      'Expected control characters in a string to be escaped at line 1, column 3 (byte 2), found "\\u0001".',
    ],
    ['"\u001f"', 'Expected control characters in a string to be escaped'],
    ['"\\x"', 'Expected one of "\\/bfnrtu after a backslash at line 1, column 3 (byte 2), found "x".'],
    ['"\\u00g0"', 'Expected four hexadecimal digits after \\u at line 1, column 6 (byte 5), found "g".'],
    ['-', 'Expected a digit at line 1, column 2 (byte 1), found the end of the body.'],
  ])('%j', (body, detail) => {
    expect(refusal(body)).toContain(detail);
  });

  it('invalid UTF-8 is refused anywhere, a payload included', () => {
    const around = (...bytes: number[]) =>
      Buffer.concat([Buffer.from('{"payload":"'), Buffer.from(bytes), Buffer.from('"}')]);
    expect(refusal(around(0xff))).toContain('not valid UTF-8 at byte 12');
    expect(refusal(around(0xed, 0xa0, 0xbd))).toContain('not valid UTF-8 at byte 12');
    expect(refusal(around(0xc0, 0x80))).toContain('not valid UTF-8');
    expect(refusal(around(0xf0, 0x9f, 0x98))).toContain('not valid UTF-8');
    expect(refusal(Buffer.from('"é"').subarray(0, 2))).toContain('not valid UTF-8');
    expect(refusal(Buffer.from('{"payload":1}', 'utf16le'))).toContain('Expected a string in double quotes');
  });

  it('a byte order mark is refused and named', () => {
    expect(refusal('\ufeff{"payload":1}')).toContain('byte order mark');
  });
});
