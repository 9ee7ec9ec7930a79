// Owns the file of types: the registered type keys with the payloads that their schemas allow, as an addition to the SDK.
import { typescriptOf } from './typescript-of.ts';

const HEAD = `// Written by \`chokaq types\`: the type keys that were registered, with the payloads that their schemas allow.
import '@chokaq/sdk';

declare module '@chokaq/sdk' {
  interface JobTypes {
`;
const TAIL = `  }
}
`;

/** A module that adds to the SDK's `JobTypes`. The handler `*` lets every key in, with any payload. */
export function typeMap(handlers: readonly { readonly type: string; readonly schema: unknown }[]): string {
  const members = [...handlers]
    .sort((one, other) => (one.type < other.type ? -1 : 1))
    .map(({ type, schema }) => {
      const name = type === '*' ? '[type: string]' : JSON.stringify(type);
      return `    ${name}: ${type === '*' || schema === null ? 'unknown' : typescriptOf(schema, '    ')};\n`;
    });
  return HEAD + members.join('') + TAIL;
}
