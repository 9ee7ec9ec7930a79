// Owns what becomes of one NDJSON line: an enqueue body that can be sent again safely, or a reason why it cannot be sent.
import { isUtf8 } from 'node:buffer';
import { v7 } from 'uuid';
import type { Line } from './ndjson.ts';

/** One job to enqueue. The body is the line as it stands, but for an `id` written into it when it had none. */
export interface Draft {
  readonly line: number;
  readonly body: Buffer;
  /** The id made here; null when the line has its own. */
  readonly madeId: string | null;
}

/** A fresh draft, or the reason why the line is none. */
export function draftOf({ number, bytes }: Line, longest: number): Draft | string {
  if (bytes === null) return `longer than ${longest} bytes`;
  if (!isUtf8(bytes)) return 'not valid UTF-8';
  const parsed = parse(bytes.toString('utf8'));
  if (typeof parsed === 'string') return parsed;
  if (Object.hasOwn(parsed, 'id')) return { line: number, body: bytes, madeId: null };
  const madeId = v7();
  return { line: number, body: withId(bytes, madeId, Object.keys(parsed).length === 0), madeId };
}

function parse(text: string): object | string {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? value : 'not a JSON object';
  } catch (error) {
    return `not JSON: ${(error as SyntaxError).message}`;
  }
}

/** Written in as text, so that no byte of the payload changes. */
function withId(body: Buffer, id: string, isEmpty: boolean): Buffer {
  const behindBrace = body.indexOf('{') + 1;
  const member = `"id":"${id}"${isEmpty ? '' : ','}`;
  return Buffer.concat([body.subarray(0, behindBrace), Buffer.from(member), body.subarray(behindBrace)]);
}
