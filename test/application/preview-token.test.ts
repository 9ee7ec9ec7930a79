// Owns the proof that the token of a preview says what was shown, and nothing that anybody else has written.
import { expect, test } from 'vitest';
import { type Preview, readToken, writeToken } from '#service/application/preview-token.js';

const PREVIEW: Preview = {
  id: 'p1',
  action: 'purge',
  filter: { search: 'a.b ü 100% 😀', failedAfter: 5 },
  mark: 17,
  total: 3,
  last: { at: 4, id: 'job-1' },
  needsAcknowledgement: false,
  expiresAt: 1_000,
};

test('I3 · A token reads as the preview it was made of', () => {
  expect(readToken(writeToken(PREVIEW, 'secret'), 'secret')).toEqual(PREVIEW);
});

test('I3 · Whatever is changed in a token, or signed with another secret, is not read', () => {
  const token = writeToken(PREVIEW, 'secret');
  const [content = '', signature = ''] = token.split('.');
  const other = Buffer.from(JSON.stringify({ ...PREVIEW, total: 4 })).toString('base64url');
  const forged = [
    ...[`${other}.${signature}`, `${content}.`, content, `.${signature}`, '', '.', 'x', `${token}.${signature}`],
    ...[
      writeToken(PREVIEW, 'other'),
      `${content}.${Buffer.alloc(32).toString('base64url')}`,
      `${content}.${signature}AAAA`,
    ],
  ];
  for (const text of forged) expect(readToken(text, 'secret'), text).toBeNull();
});
