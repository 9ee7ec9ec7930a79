// Owns payload schemas: compiling a handler's JSON Schema under limits, and saying why a payload breaks it.
import vm from 'node:vm';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';
import type { PayloadSchema } from '../domain/schema-compatibility.ts';

const MAX_SCHEMA_BYTES = 65_536;
const MAX_SCHEMA_DEPTH = 32;
const MAX_PATTERN_LENGTH = 500;
/** A schema may walk a payload recursively, so there its depth is bounded; without a schema it is not. */
const MAX_PAYLOAD_DEPTH = 200;
/** Patterns, uniqueness and branches that refer back can take exponential time, so every check runs under a watchdog. */
const TIME_LIMIT_MS = 250;
const ENDLESS = 'cannot be checked: its schema refers to itself without an end';
/** A schema that is endless is so for one of these. */
const SIMPLEST = ['null', '""', '0', '[]', '{}'].map(text => Buffer.from(text));

/** Why the payload is refused, in one sentence, or null. */
export type PayloadCheck = (payload: Uint8Array) => string | null;

/** Rejects with an `Error` that says what is wrong with the schema itself. */
export function compileSchema(schema: PayloadSchema): PayloadCheck {
  checkLimits(schema);
  const ajv = new Ajv2020({ allErrors: false, strict: false, validateFormats: true, logger: false, code: { regExp } });
  formatsPlugin.default(ajv);
  const validate = ajv.compile(schema);
  const run = underWatchdog(validate);
  return payload => flawOf(payload, run, validate);
}

/** What keeps a schema from being registered, as an `Error`: it breaks a limit, cannot be compiled, or has no end. */
export function checkSchema(schema: PayloadSchema): void {
  const check = compileSchema(schema);
  if (SIMPLEST.some(payload => check(payload) === ENDLESS)) throw new Error('refers to itself without an end');
}

function flawOf(payload: Uint8Array, run: (value: unknown) => boolean, validate: ValidateFunction): string | null {
  if (depth(payload) > MAX_PAYLOAD_DEPTH) return `is nested deeper than ${MAX_PAYLOAD_DEPTH} levels`;
  try {
    if (run(JSON.parse(Buffer.from(payload).toString('utf8')))) return null;
  } catch (error) {
    if (isTimeout(error)) return `takes the schema longer than ${TIME_LIMIT_MS} ms`;
    if (error instanceof RangeError) return ENDLESS;
    throw error;
  }
  return describe(validate.errors?.[0]);
}

function describe(error: ErrorObject | undefined): string {
  const place = error?.instancePath ? `${error.instancePath} ` : '';
  const member = error?.params.additionalProperty ?? error?.params.unevaluatedProperty;
  return `${place}${error?.message ?? 'breaks the schema'}${member === undefined ? '' : `: ${String(member)}`}`.slice(
    0,
    500,
  );
}

function underWatchdog(validate: ValidateFunction): (value: unknown) => boolean {
  const sandbox: { check: () => boolean } = { check: () => true };
  const context = vm.createContext(sandbox);
  const script = new vm.Script('check()');
  return value => {
    sandbox.check = () => validate(value) === true;
    return script.runInContext(context, { timeout: TIME_LIMIT_MS }) === true;
  };
}

/** The error may come from the other context, where `Error` is another one. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}

function checkLimits(schema: PayloadSchema): void {
  const text = JSON.stringify(schema);
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) throw new Error(`has more than ${MAX_SCHEMA_BYTES} bytes`);
  if (depth(Buffer.from(text)) > MAX_SCHEMA_DEPTH) throw new Error(`is nested deeper than ${MAX_SCHEMA_DEPTH} levels`);
  if (/"\$async":/.test(text)) throw new Error('uses $async, which is not JSON Schema');
}

/** How Ajv makes its patterns. */
function regExp(pattern: string, flags: string): RegExp {
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new Error(`has a pattern longer than ${MAX_PATTERN_LENGTH} characters`);
  return new RegExp(pattern, flags);
}
regExp.code = 'new RegExp';

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Levels of nesting in JSON text, counted without recursion. */
function depth(json: Uint8Array): number {
  let level = 0;
  let deepest = 0;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (inText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) inText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) deepest = Math.max(deepest, ++level);
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) level--;
  }
  return deepest;
}
