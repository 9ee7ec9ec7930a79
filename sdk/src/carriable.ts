// Owns what the compiler lets into a payload: what JSON can carry, and nothing that would vanish or turn into something else.
import type { RawJson } from './json-text.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json };

declare const FAULT: unique symbol;
/** Stands where a value cannot be carried, so that the compiler's message says why. */
export interface NotJson<Why extends string> {
  readonly [FAULT]: Why;
}

/** `T` where JSON can carry it; otherwise a type that nothing fits, with the reason in it. */
export type Carriable<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | RawJson
    ? T
    : T extends bigint
      ? NotJson<'a BigInt needs a codec, or to be a string'>
      : T extends (...args: never[]) => unknown
        ? NotJson<'a function cannot be carried by JSON'>
        : T extends symbol | undefined
          ? NotJson<'undefined and symbols vanish from JSON'>
          : T extends { toJSON(): infer Written }
            ? Carriable<Written> extends Written
              ? T
              : NotJson<'its toJSON() is not JSON'>
            : T extends
                  | ReadonlyMap<unknown, unknown>
                  | ReadonlySet<unknown>
                  | ReadableStream
                  | ArrayBufferView
                  | ArrayBuffer
              ? NotJson<'send plain data'>
              : T extends object
                ? { [Member in keyof T]: Member extends symbol ? never : CarriableMember<T, Member> }
                : NotJson<'not JSON'>;

/** A member that may be left out may be absent; it still must not be `undefined` when it is sent. */
type CarriableMember<T, Member extends keyof T> =
  object extends Pick<T, Member> ? Carriable<Exclude<T[Member], undefined>> | undefined : Carriable<T[Member]>;
