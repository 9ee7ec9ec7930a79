// Owns the proof of what may be a name, and which header a handler may ask for.
import { describe, expect, it } from 'vitest';
import { headerFlaw } from '#service/domain/handler-header.js';
import { keyFlaw, nameFlaw, trimName } from '#service/domain/name.js';
import { LONG_NAMES } from '../fixtures/strings.ts';

describe('a name', () => {
  it.each(Object.entries(LONG_NAMES))('A2 · of 255 code points passes, one more does not: %s', (_script, name) => {
    expect(keyFlaw(name, 255)).toBeNull();
    expect(keyFlaw(`${name}x`, 255)).toContain('255');
    expect(keyFlaw(`🎉${name}`, 255)).toContain('255');
  });

  it.each(['', '\0', 'a\0b', 'a\nb', 'a\tb', '\u007f', '\u0085', '\u001b[0m', '\ud83d', 'a\udc00'])(
    'A2 · must not be %j',
    text => {
      expect(nameFlaw(text, 255)).not.toBeNull();
      expect(keyFlaw(text, 255)).not.toBeNull();
    },
  );

  it('A2 · that stands in addresses must not be . or ..', () => {
    expect([keyFlaw('.', 255), keyFlaw('..', 255)]).not.toContain(null);
    expect([nameFlaw('.', 255), keyFlaw('...', 255), keyFlaw('a.b', 255), keyFlaw('/', 255)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it('loses the white space around it, in any script, and none inside', () => {
    expect(trimName(' \t\u00a0\u3000a  b\ufeff\n')).toBe('a  b');
    expect(nameFlaw(trimName(' \u2003 '), 255)).not.toBeNull();
  });

  it('of a million characters is refused without counting them all', () => {
    expect(nameFlaw('🎉'.repeat(1_000_000), 255)).toContain('255');
  });
});

describe('a header that a handler asks for', () => {
  it.each([
    ['x-tenant', 'a'],
    ['authorization', 'Bearer é'],
    ['accept', ''],
    ['x', 'a\tb'],
  ])('may be %s: %s', (name, value) => {
    expect(headerFlaw(name, value)).toBeNull();
  });

  const RESERVED = [
    'Host',
    'content-length',
    'Connection',
    'transfer-encoding',
    'TE',
    'chokaq-job-id',
    'Webhook-Id',
    'traceparent',
  ];
  it.each([...RESERVED, '', 'a b', 'a:b', 'é', 'a\nb', 'x'.repeat(300)])('must not be named %j', name => {
    expect(headerFlaw(name, 'v')).not.toBeNull();
  });

  it.each(['a\nb', 'a\r\nx: y', 'a\0', '漢', '\u007f', '🎉'])('must not have the value %j', value => {
    expect(headerFlaw('x-tenant', value)).not.toBeNull();
  });
});
