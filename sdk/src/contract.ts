// Owns job contracts: what a type of jobs carries and how it is enqueued, said once, as a value or as a class.
import type { Carriable } from './carriable.ts';
import { newJobId } from './job-id.ts';
import { RawJson } from './json-text.ts';
import type { components } from './openapi.gen.ts';
import { type JsonSchema, jsonSchemaOf, type SchemaInput, type SchemaOutput, type StandardSchema } from './schema.ts';

type NewJob = components['schemas']['NewJob'];
type Defaults = Omit<NewJob, 'id' | 'type' | 'payload' | 'runAt' | 'idempotencyKey'>;

/** One type key, or several: the first is sent, all are handled. */
export type TypeKeys = string | readonly [string, ...string[]];

/** How a payload that JSON cannot carry by itself is written and read. */
export interface Codec<Payload> {
  /** Plain data, or `rawJson(text)` for exact text. */
  toJson(payload: Payload): unknown;
  /** `value` is the parsed JSON, `text` the JSON as it was sent. */
  fromJson(value: unknown, text: string): Payload;
}

/** What holds for each job of the contract, unless the call that enqueues it says otherwise. */
export interface ContractOptions<Payload> extends Defaults {
  /** The logical operation, so that asking for it twice does it once. Never made from the job's id. */
  readonly idempotencyKey?: (payload: Payload) => string | null | undefined;
  /** Checks payloads on both sides; what it makes of them is what handlers get. */
  readonly schema?: StandardSchema | undefined;
  /** Registered with the handler; taken from `schema` where the validator can tell it. */
  readonly jsonSchema?: JsonSchema | undefined;
  readonly codec?: Codec<never> | undefined;
}

/** One physical job, not yet enqueued. Enqueueing it again is a resend, not a second job. */
export interface Job {
  readonly id: string;
  readonly idempotencyKey?: string | null | undefined;
}

/**
 * The class form. Static members are the contract's options, own enumerable fields but `id` the payload, `idempotencyKey` (as
 * a rule a getter) the logical operation. Other getters are refused: handlers would see them in their types and not get them.
 */
export interface JobClass<Instance extends Job = Job> extends Defaults {
  new (...args: never[]): Instance;
  readonly type: TypeKeys;
  readonly schema?: StandardSchema;
  readonly jsonSchema?: JsonSchema;
  readonly codec?: Codec<never>;
}

/** The value form: call it with a payload to make a job. */
export interface JobContract<Input, Output = Input> {
  (payload: Input | RawJson): ContractJob<Input>;
  readonly type: string;
  readonly types: readonly [string, ...string[]];
  readonly options: ContractOptions<never>;
  /** Only for the compiler: what handlers get. */
  readonly '~output'?: Output;
}

export class ContractJob<Input> implements Job {
  readonly id = newJobId();
  readonly payload: Input | RawJson;
  readonly contract: Contract;

  constructor(contract: Contract, payload: Input | RawJson) {
    this.contract = contract;
    this.payload = payload;
  }
}

/** Both forms as the client and the receiver see them. */
export interface Contract {
  readonly types: readonly [string, ...string[]];
  readonly defaults: Defaults;
  readonly idempotencyKey: ((payload: never) => string | null | undefined) | undefined;
  readonly schema: StandardSchema | undefined;
  readonly jsonSchema: JsonSchema | undefined;
  readonly codec: Codec<never> | undefined;
}

/** As a handler gets it: plain data, dates as ISO texts. */
export type Plain<T> = unknown extends T
  ? T
  : T extends { toJSON(): infer Written }
    ? Plain<Written>
    : T extends (...args: never[]) => unknown
      ? never
      : T extends object
        ? { [Member in keyof T]: Plain<T[Member]> }
        : T;

/** A payload typed by a validator, by a codec, or by what JSON can carry. */
export function defineJob<Schema extends StandardSchema>(
  type: TypeKeys,
  options: ContractOptions<SchemaInput<Schema>> & { readonly schema: Schema },
): JobContract<SchemaInput<Schema>, SchemaOutput<Schema>>;
export function defineJob<Payload>(
  type: TypeKeys,
  options: Omit<ContractOptions<Payload>, 'codec'> & { readonly codec: Codec<Payload> },
): JobContract<Payload>;
export function defineJob<Payload>(
  // Where JSON cannot carry the payload, no text fits, and the compiler says which member is at fault.
  type: Payload extends Carriable<Payload> ? TypeKeys : Carriable<Payload>,
  options?: ContractOptions<Payload> & { readonly codec?: undefined; readonly schema?: undefined },
): JobContract<Payload, Plain<Payload>>;
export function defineJob(type: unknown, given: object = {}): unknown {
  const options = given as ContractOptions<never>;
  const contract = contractFrom({ ...options, type: type as TypeKeys }, options.idempotencyKey);
  const make = (payload: RawJson) => new ContractJob<never>(contract, payload);
  return Object.assign(make, { type: contract.types[0], types: contract.types, options, contract });
}

type Parts = Pick<JobClass, keyof JobClass> | (Omit<ContractOptions<never>, 'idempotencyKey'> & { type: TypeKeys });

const DEFAULTS = ['queue', 'priority', 'delay', 'resultTtl', 'onConflict', 'maxAttempts', 'timeout'] as const;
const OBJECTS = ['retry', 'tags', 'createdBy'] as const;

function contractFrom(parts: Parts, idempotencyKey: Contract['idempotencyKey']): Contract {
  const types = typeof parts.type === 'string' ? ([parts.type] as const) : parts.type;
  if (!Array.isArray(types) || types.length === 0 || types.some(type => typeof type !== 'string' || type === '')) {
    throw new TypeError(`a type key is a text such as email.send.v1, or a list of them, not ${JSON.stringify(types)}`);
  }
  const given = [...DEFAULTS, ...OBJECTS].filter(name => parts[name] !== undefined);
  const { schema, jsonSchema = schema && jsonSchemaOf(schema), codec } = parts;
  const defaults = Object.fromEntries(given.map(name => [name, parts[name]]));
  return { types, defaults, idempotencyKey, schema, jsonSchema, codec };
}

/** A contract of either form, whatever it carries. */
export type AnyContract = Pick<JobContract<never>, 'type' | 'types'> | JobClass;

/** What a handler of the contract gets. */
export type Received<C> =
  C extends JobClass<infer Instance>
    ? ReceivedByClass<C, Instance>
    : C extends { readonly '~output'?: infer Output }
      ? Output
      : never;

type ReceivedByClass<C, Instance> = C extends { readonly schema: infer Schema extends StandardSchema }
  ? SchemaOutput<Schema>
  : C extends { readonly codec: Codec<infer Payload> }
    ? Payload
    : Plain<FieldsOf<Instance>>;

/** Methods are not own fields; a function in a field is refused when the job is enqueued, a getter as soon as the class is seen. */
export type FieldsOf<Instance> = {
  [Member in keyof Instance as Member extends 'id' | 'idempotencyKey'
    ? never
    : Instance[Member] extends (...args: never[]) => unknown
      ? never
      : Member]: Instance[Member];
};

export function contractOf(form: AnyContract): Contract {
  if ('contract' in form) return form.contract as Contract;

  if (!isJobClass(form)) throw new TypeError('a contract is made by defineJob, or is a class with a static `type`');
  refuseGetters(form);
  return contractFrom(form, (job: Job) => job.idempotencyKey);
}

const OWN_GETTERS = ['id', 'idempotencyKey'];

/** To the compiler a getter is a field: what a handler was promised must not be missing. */
function refuseGetters({ name, prototype }: JobClass): void {
  // Up to what all objects have, which in another realm is another object.
  for (let each: object = prototype; Object.getPrototypeOf(each) !== null; each = Object.getPrototypeOf(each)) {
    for (const [member, { get, set }] of Object.entries(Object.getOwnPropertyDescriptors(each))) {
      if ((get ?? set) === undefined || OWN_GETTERS.includes(member)) continue;
      throw new TypeError(`${name}.${member} is a getter, which no payload carries; make it a method, or a field`);
    }
  }
}

/** The contract and the payload of a job in either form. */
export function dissect(job: Job): { contract: Contract; payload: unknown; idempotencyKey: string | null } {
  if (job instanceof ContractJob) {
    const { contract, payload } = job;
    return { contract, payload, idempotencyKey: keyOf(contract, payload) };
  }
  const { id: _, idempotencyKey: __, ...payload } = job;
  return { contract: contractOf(job.constructor as JobClass), payload, idempotencyKey: job.idempotencyKey ?? null };
}

/** Exact text is read for the sake of its key: two jobs of one operation must not both be stored because one was text. */
function keyOf({ idempotencyKey, codec }: Contract, payload: unknown): string | null {
  if (!idempotencyKey) return null;
  if (!(payload instanceof RawJson)) return idempotencyKey(payload as never) ?? null;
  const value: unknown = JSON.parse(payload.text);
  return idempotencyKey((codec ? codec.fromJson(value, payload.text) : value) as never) ?? null;
}

export function isJob(value: unknown): value is Job {
  if (value instanceof ContractJob) return true;
  return typeof value === 'object' && value !== null && isJobClass(value.constructor);
}

function isJobClass(value: unknown): value is JobClass {
  return typeof value === 'function' && 'type' in value;
}
