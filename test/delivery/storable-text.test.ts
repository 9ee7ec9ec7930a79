// Owns the proof that what is kept of an answer is bounded and that every database takes it.
import { describe, expect, it } from 'vitest';
import { storableText } from '#service/delivery/storable-text.js';
import { Random } from '../fixtures/random.ts';

const LIMIT = 4_096;

describe('D11 · text that is kept', () => {
  it('is left as it is when it can be stored', () => {
    expect(storableText(Buffer.from(''))).toBe('');
    expect(storableText(Buffer.from('fine: é漢🎉\r\n\t\u001b\uffff\\'))).toBe('fine: é漢🎉\r\n\t\u001b\uffff\\');
  });

  it.each([
    ['NUL', [0x61, 0x00, 0x62], 'a\\u0000b'],
    ['a stray continuation byte', [0x61, 0x80, 0x62], 'a\\x80b'],
    ['a lone surrogate in UTF-8', [0xed, 0xa0, 0x80], '\\xed\\xa0\\x80'],
    ['an overlong slash', [0xc0, 0xaf], '\\xc0\\xaf'],
    ['beyond the last code point', [0xf4, 0x90, 0x80, 0x80], '\\xf4\\x90\\x80\\x80'],
    ['Latin-1', [0x63, 0x61, 0x66, 0xe9], 'caf\\xe9'],
    ['UTF-16', [0xff, 0xfe, 0x61, 0x00], '\\xff\\xfea\\u0000'],
    ['a good character after a bad byte', [0xff, 0xc3, 0xa9], '\\xffé'],
  ])('escapes %s', (_, bytes, text) => {
    expect(storableText(Buffer.from(bytes))).toBe(text);
  });

  it('ends at 4 KB and never within a character', () => {
    expect(storableText(Buffer.from('x'.repeat(LIMIT)))).toHaveLength(LIMIT);
    expect(storableText(Buffer.from('x'.repeat(LIMIT + 1)))).toBe('x'.repeat(LIMIT));
    expect(storableText(Buffer.from(`x${'漢'.repeat(2_000)}`))).toBe(`x${'漢'.repeat(1_365)}`);
    expect(storableText(Buffer.from(`xy${'漢'.repeat(2_000)}`))).toBe(`xy${'漢'.repeat(1_364)}`);
  });

  it('ends at 4 KB when escapes make it longer', () => {
    const text = storableText(Buffer.alloc(LIMIT));
    expect(text).toBe('\\u0000'.repeat(682));
  });

  it('is well-formed, free of NUL and bounded whatever the bytes are', () => {
    const random = new Random(11);
    for (let round = 0; round < 300; round++) {
      const bytes = Buffer.from(Array.from({ length: round * 20 }, () => Math.floor(random.next() * 256)));
      const text = storableText(bytes);
      expect(/\p{Surrogate}|\0/u.test(text)).toBe(false);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMIT);
    }
  });
});
