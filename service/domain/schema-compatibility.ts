// Owns whether a changed payload schema still accepts everything that the old one accepted, as far as that can be proved.

export type PayloadSchema = Readonly<Record<string, unknown>> | boolean;

/** Keywords that say nothing about which payloads are accepted. */
const ANNOTATIONS = new Set([
  '$schema',
  '$id',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);
/** Keywords that are compared; every other one must be unchanged. */
const COMPARED = new Set(['type', 'required', 'properties', 'enum', 'additionalProperties', 'items']);

/** Keywords whose meaning hangs on their neighbours: beside them no change can be judged member by member. */
const ENTANGLING = new Set([
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
  'prefixItems',
  '$dynamicRef',
  '$anchor',
  '$dynamicAnchor',
]);

/** What could refuse a payload that was accepted before, or cannot be proved not to; empty = compatible. */
export function incompatibilities(before: PayloadSchema, after: PayloadSchema, path = '#'): readonly string[] {
  if (after === true || before === false || equal(before, after)) return [];
  if (after === false) return [`${path} refuses everything now`];
  const old = before === true ? {} : before;
  return [
    ...narrowedType(old, after, path),
    ...narrowedEnum(old, after, path),
    ...moreRequired(old, after, path),
    ...changedMembers(old, after, path),
    ...changedItems(old, after, path),
    ...changedRest(old, after, path),
  ];
}

type Schema = Readonly<Record<string, unknown>>;

function narrowedType(before: Schema, after: Schema, path: string): string[] {
  if (after.type === undefined) return [];
  const allowed = listOf(after.type);
  const wanted = before.type === undefined ? ['anything'] : listOf(before.type);
  const lost = wanted.filter(type => !allowed.includes(type) && !(type === 'integer' && allowed.includes('number')));
  return lost.map(type => `${path}/type no longer allows ${String(type)}`);
}

function narrowedEnum(before: Schema, after: Schema, path: string): string[] {
  if (!Array.isArray(after.enum)) return [];
  if (!Array.isArray(before.enum)) return [`${path}/enum is new`];
  const allowed = after.enum.map(value => JSON.stringify(value));
  const lost = before.enum.map(value => JSON.stringify(value)).filter(value => !allowed.includes(value));
  return lost.map(value => `${path}/enum no longer contains ${value}`);
}

function moreRequired(before: Schema, after: Schema, path: string): string[] {
  const known = listOf(before.required ?? []);
  const added = listOf(after.required ?? []).filter(name => !known.includes(name));
  return added.map(name => `${path}/required now names ${String(name)}`);
}

/** Each member that either side names: what was allowed there must still be. */
function changedMembers(before: Schema, after: Schema, path: string): string[] {
  const then = members(before);
  const now = members(after);
  const [restThen, restNow] = [rest(before), rest(after)];
  const names = new Set([...Object.keys(then), ...Object.keys(now)]);
  const found = [...names].flatMap(name => {
    const place = `${path}/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return incompatibilities(own(then, name) ?? restThen, own(now, name) ?? restNow, place);
  });
  return [...found, ...incompatibilities(restThen, restNow, `${path}/additionalProperties`)];
}

function changedItems(before: Schema, after: Schema, path: string): string[] {
  return [...incompatibilities(asSchema(before.items), asSchema(after.items), `${path}/items`)];
}

function changedRest(before: Schema, after: Schema, path: string): string[] {
  const matters = Object.keys(after).filter(key => !ANNOTATIONS.has(key) && !COMPARED.has(key));
  const changed = matters.filter(key => !equal(own(before, key), after[key]));
  const tied = [before, after]
    .flatMap(Object.keys)
    .filter(key => ENTANGLING.has(key) || movesWithTheRoot(key, after[key]));
  return [...new Set([...changed, ...tied])].map(
    key => `${path}/${key} cannot be proved to accept all that was accepted`,
  );
}

/** A reference into anything but `$defs`, which are compared whole, changes its meaning when the place it names changes. */
function movesWithTheRoot(key: string, value: unknown): boolean {
  return key === '$ref' && !String(value).startsWith('#/$defs/');
}

function members(schema: Schema): Readonly<Record<string, PayloadSchema>> {
  return (schema.properties ?? {}) as Record<string, PayloadSchema>;
}

/** What holds for members that `properties` does not name. */
function rest(schema: Schema): PayloadSchema {
  return asSchema(schema.additionalProperties);
}

function asSchema(value: unknown): PayloadSchema {
  return value === undefined ? true : (value as PayloadSchema);
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

function equal(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right);
}

function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
