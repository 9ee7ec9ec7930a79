// Owns the proof that no change of a payload schema passes which would refuse what was accepted before.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { incompatibilities, type PayloadSchema } from '#service/domain/schema-compatibility.js';
import { Random } from '../fixtures/random.ts';

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  ...more,
});

describe('a changed schema', () => {
  const FINE: readonly (readonly [string, PayloadSchema, PayloadSchema])[] = [
    ['the same with members in another order', { a: 1, b: 2 } as PayloadSchema, { b: 2, a: 1 } as PayloadSchema],
    ['another description', { description: 'a' }, { description: 'b', title: 'c' }],
    ['no limit at all', object({ a: { type: 'string' } }), true],
    ['one more type', { type: 'string' }, { type: ['string', 'null'] }],
    ['number for integer', { type: 'integer' }, { type: 'number' }],
    ['one required less', { required: ['a', 'b'] }, { required: ['a'] }],
    ['one value more', { enum: ['a'] }, { enum: ['b', 'a'] }],
    ['what was closed is open', object({}, { additionalProperties: false }), object({})],
    [
      'a new optional member where unknown ones were refused',
      object({}, { additionalProperties: false }),
      object({ a: { type: 'string' } }, { additionalProperties: false }),
    ],
    ['a limit less', { type: 'string', maxLength: 5 }, { type: 'string' }],
    ['wider items', { items: { type: 'integer' } }, { items: { type: ['integer', 'string'] } }],
  ];
  it.each(FINE)('is compatible: %s', (_what, before, after) => expect(incompatibilities(before, after)).toEqual([]));

  const WORSE: readonly (readonly [string, PayloadSchema, PayloadSchema])[] = [
    ['refuses everything', {}, false],
    ['a type where there was none', {}, { type: 'object' }],
    ['one type less', { type: ['string', 'null'] }, { type: 'string' }],
    ['integer for number', { type: 'number' }, { type: 'integer' }],
    ['one more required', { required: ['a'] }, { required: ['a', 'b'] }],
    ['one value less', { enum: ['a', 'b'] }, { enum: ['a'] }],
    ['values where all were allowed', { type: 'string' }, { type: 'string', enum: ['a'] }],
    ['what was open is closed', object({}), object({}, { additionalProperties: false })],
    ['a typed member where anything was allowed', object({}), object({ a: { type: 'string' } })],
    [
      'a member gone where the rest is closed',
      object({ a: true }, { additionalProperties: false }),
      object({}, { additionalProperties: false }),
    ],
    [
      'narrower deep inside',
      object({ a: object({ b: { type: ['string', 'null'] } }) }),
      object({ a: object({ b: { type: 'string' } }) }),
    ],
    ['a new limit', { type: 'string' }, { type: 'string', maxLength: 5 }],
    ['a changed pattern', { pattern: '^a' }, { pattern: '^b' }],
    ['narrower items', { items: true }, { items: { type: 'string' } }],
    [
      'items and a member called __proto__',
      object({}),
      object(JSON.parse('{"__proto__":{"type":"string"}}') as Record<string, unknown>),
    ],
  ];
  it.each(WORSE)('is not compatible: %s', (_what, before, after) =>
    expect(incompatibilities(before, after)).not.toEqual([]),
  );

  it('never passes when some payload was accepted before and is refused now', () => {
    const random = new Random(42);
    const ajv = new Ajv2020({ strict: false, logger: false });
    let passed = 0;
    for (let round = 0; round < 3_000; round += 1) {
      const [before, after] = [randomSchema(random, 2), randomSchema(random, 2)];
      if (incompatibilities(before, after).length > 0) continue;
      passed += 1;
      const [old, young] = [ajv.compile(before), ajv.compile(after)];
      for (let tries = 0; tries < 30; tries += 1) {
        const payload = randomValue(random, 2);
        if (old(payload)) expect(young(payload), JSON.stringify({ before, after, payload })).toBe(true);
      }
    }
    expect(passed).toBeGreaterThan(50);
  });
});

const TYPES = ['string', 'number', 'integer', 'object', 'array', 'null', 'boolean'];

function randomSchema(random: Random, depth: number): PayloadSchema {
  if (random.chance(0.2)) return random.chance(0.85);
  const schema: Record<string, unknown> = {};
  if (random.chance(0.5))
    schema.type = random.chance(0.5) ? random.pick(TYPES) : TYPES.filter(() => random.chance(0.5));
  if (Array.isArray(schema.type) && schema.type.length === 0) delete schema.type;
  if (random.chance(0.2)) schema.enum = [1, 'a', null, 1.5, {}, [], true].filter(() => random.chance(0.7));
  if (Array.isArray(schema.enum) && schema.enum.length === 0) delete schema.enum;
  if (random.chance(0.3)) schema.required = ['a', 'b'].filter(() => random.chance(0.5));
  if (depth > 0 && random.chance(0.5))
    schema.properties = { [random.pick(['a', 'b'])]: randomSchema(random, depth - 1) };
  if (depth > 0 && random.chance(0.3)) schema.additionalProperties = randomSchema(random, depth - 1);
  if (depth > 0 && random.chance(0.3)) schema.items = randomSchema(random, depth - 1);
  if (random.chance(0.2)) schema.maxLength = random.between(0, 2);
  return schema;
}

function randomValue(random: Random, depth: number): unknown {
  const flat = [1, 1.5, 'a', 'long', '', null, true, false];
  if (depth === 0 || random.chance(0.4)) return random.pick(flat);
  const inner = () => randomValue(random, depth - 1);
  if (random.chance(0.3)) return Array.from({ length: random.between(0, 2) }, inner);
  return Object.fromEntries(['a', 'b', 'c'].filter(() => random.chance(0.5)).map(name => [name, inner()]));
}
