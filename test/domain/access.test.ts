// Owns the proof of who may see what, and of how the keys of a file become stored keys.
import { describe, expect, it, test } from 'vitest';
import {
  ANYBODY,
  type Caller,
  hasAny,
  NOBODY,
  ownJobsOf,
  SCOPES,
  type Scope,
  seesPayloads,
} from '#service/domain/access.js';
import { type ApiKey, isSecret, keyNameFlaw, readScopes, reconcileKeys } from '#service/domain/api-key.js';

function caller(...scopes: readonly Scope[]): Caller {
  return { name: 'web', keyId: 'k', scopes, rateLimit: null };
}

test('Anybody may do everything, nobody nothing, and no scope implies another', () => {
  expect(hasAny(ANYBODY, ['admin'])).toBe(true);
  expect(hasAny(NOBODY, ['produce'])).toBe(false);
  expect(hasAny(caller('admin'), ['read', 'produce', 'operate', 'destroy'])).toBe(false);
  expect(hasAny(caller('operate'), ['read', 'operate'])).toBe(true);
  expect([seesPayloads(caller('read')), seesPayloads(caller('read:payload'))]).toEqual([false, true]);
});

test('Who may read sees every job, others those of their key', () => {
  expect(ownJobsOf(ANYBODY)).toBeNull();
  expect(ownJobsOf(caller('read', 'produce'))).toBeNull();
  expect(ownJobsOf(caller('produce', 'read:payload', 'admin'))).toBe('k');
});

describe('The name of a key', () => {
  it.each(['web', 'Ω web-1', 'x'.repeat(100), 'cli', 'files'])('may be %j', name =>
    expect(keyNameFlaw(name)).toBeNull(),
  );
  it.each(['', ' web', 'web ', 'a\nb', 'x'.repeat(101), 'anonymous', 'File', 'service', 'cli:root', 'CLI:x', '\ud800'])(
    'may not be %j',
    name => expect(keyNameFlaw(name)).toBeTypeOf('string'),
  );
});

test('A secret has at least 160 bits and no strange characters', () => {
  expect(isSecret(`ck_${'a'.repeat(27)}`)).toBe(true);
  for (const wrong of [
    `ck_${'a'.repeat(26)}`,
    'a'.repeat(30),
    `ck_${'a'.repeat(26)}+`,
    `ck_${'a'.repeat(201)}`,
    ` ck_${'a'.repeat(27)}`,
  ])
    expect(isSecret(wrong), wrong).toBe(false);
});

test('Scopes are put in order, once each, and unknown ones named', () => {
  expect(readScopes(['admin', 'produce', 'admin'])).toEqual({ scopes: ['produce', 'admin'] });
  expect(readScopes(['all'])).toEqual({ scopes: SCOPES });
  expect(readScopes(['all', 'read'])).toMatchObject({ flaw: expect.stringContaining('"all"') });
  expect(readScopes(['fly'])).toMatchObject({ flaw: expect.stringContaining('"fly"') });
  expect(readScopes([])).toMatchObject({ flaw: expect.stringContaining('no scope') });
});

describe('Keys of a file', () => {
  const key = (name: string, fields: Partial<ApiKey> = {}): ApiKey => ({
    ...{ id: `id-${name}`, name, hash: `hash-${name}`, scopes: ['read'], rateLimit: null },
    ...{ managedBy: 'file', createdAt: 1, revokedAt: null, revokedBy: null, lastUsedAt: null },
    ...fields,
  });
  const NOTHING = { created: [], changed: [], revoked: [], stayRevoked: [], taken: [] };

  it('that are stored already change nothing', () => {
    expect(reconcileKeys([key('a')], [key('a', { id: 'other' })])).toEqual(NOTHING);
  });

  it('are refused when another key has had the secret, also a revoked one', () => {
    const spent = key('old', { hash: 'hash-a', revokedAt: 1, revokedBy: 'cli:ops' });
    expect(reconcileKeys([spent], [key('a')])).toMatchObject({ taken: ['a'], created: [] });
  });

  it('come back when only the file had dropped them, or with another secret', () => {
    const dropped = key('a', { revokedAt: 1, revokedBy: 'file' });
    expect(reconcileKeys([dropped], [key('a')]).changed).toMatchObject([{ id: 'id-a' }]);
    const revoked = key('a', { revokedAt: 1, revokedBy: 'cli:ops' });
    expect(reconcileKeys([revoked], [key('a')])).toMatchObject({ stayRevoked: [{ name: 'a' }], changed: [] });
    expect(reconcileKeys([revoked], [key('a', { hash: 'new' })]).changed).toMatchObject([{ id: 'id-a', hash: 'new' }]);
  });

  it('leave keys of the command line alone', () => {
    const cli = key('ops', { managedBy: 'cli' });
    expect(reconcileKeys([cli], [])).toEqual(NOTHING);
    expect(reconcileKeys([cli], [key('ops', { hash: 'other' })])).toMatchObject({ taken: ['ops'] });
    const gone = key('ops', { managedBy: 'cli', revokedAt: 1, revokedBy: 'cli:x' });
    expect(reconcileKeys([gone], [key('ops', { hash: 'other' })]).created).toHaveLength(1);
  });
});
