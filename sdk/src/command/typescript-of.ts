// Owns the TypeScript of a JSON Schema, for what is sure; what is not becomes `unknown`, which refuses nothing that the schema takes.

type Schema = boolean | { readonly [keyword: string]: unknown };

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};
const DEEPEST = 20;

export function typescriptOf(schema: unknown, indent = '  '): string {
  return write(schema as Schema, schema as Schema, indent);
}

function write(schema: Schema, root: Schema, indent: string): string {
  if (typeof schema === 'boolean' || schema === null || typeof schema !== 'object')
    return schema === false ? 'never' : 'unknown';
  if (indent.length > 2 * DEEPEST) return 'unknown';
  if (typeof schema.$ref === 'string') return write(target(schema.$ref, root), root, `${indent}  `);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map(value => JSON.stringify(value)));
  for (const [keyword, join] of [
    ['anyOf', union],
    ['oneOf', union],
    ['allOf', intersection],
  ] as const) {
    const parts = schema[keyword];
    if (!Array.isArray(parts)) continue;
    const { [keyword]: _, ...rest } = schema;
    const joined = join(parts.map(part => write(part as Schema, root, indent)));
    return hasShape(rest) ? intersection([joined, write(rest, root, indent)]) : joined;
  }
  const kinds = Array.isArray(schema.type)
    ? schema.type
    : [schema.type ?? ('properties' in schema ? 'object' : undefined)];
  return union(kinds.map(kind => written(String(kind), schema, root, indent)));
}

function written(kind: string, schema: Exclude<Schema, boolean>, root: Schema, indent: string): string {
  if (kind === 'object') return writtenObject(schema, root, indent);
  if (kind !== 'array') return SCALARS[kind] ?? 'unknown';
  // Items of a tuple are named one by one; how many there must be is seldom said.
  if ('prefixItems' in schema || !('items' in schema)) return 'readonly unknown[]';
  return `readonly (${write(schema.items as Schema, root, indent)})[]`;
}

function writtenObject(schema: Exclude<Schema, boolean>, root: Schema, indent: string): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const inner = `${indent}  `;
  const members = properties.map(([name, member]) => {
    const about =
      typeof member === 'object' && typeof member?.description === 'string' ? comment(member.description, inner) : '';
    return `${about}${inner}${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${write(member, root, inner)};\n`;
  });
  // Members that the schema does not name are allowed unless it says otherwise; with named ones, a typing error is likelier.
  const { additionalProperties: others } = schema;
  if (others !== false && (properties.length === 0 || 'patternProperties' in schema)) {
    const value =
      properties.length === 0 && typeof others === 'object' ? write(others as Schema, root, inner) : 'unknown';
    members.push(`${inner}[member: string]: ${value};\n`);
  }
  return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('')}${indent}}`;
}

function target(reference: string, root: Schema): Schema {
  if (!reference.startsWith('#')) return true;
  const steps = reference.slice(1).split('/').slice(1);
  let at: unknown = root;
  for (const step of steps) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : undefined;
  }
  return (at ?? true) as Schema;
}

function hasShape(schema: object): boolean {
  return ['type', 'properties', 'items', 'enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf'].some(
    word => word in schema,
  );
}

function union(parts: readonly string[]): string {
  return parts.includes('unknown') ? 'unknown' : joined(parts, ' | ', 'never');
}

function intersection(parts: readonly string[]): string {
  return joined(
    parts.filter(part => part !== 'unknown'),
    ' & ',
    'unknown',
  );
}

function joined(parts: readonly string[], between: string, none: string): string {
  const distinct = [...new Set(parts)];
  if (distinct.length === 0) return none;
  return distinct.length === 1 ? (distinct[0] ?? none) : `(${distinct.join(between)})`;
}

function comment(text: string, indent: string): string {
  return `${indent}/** ${text.replaceAll('*/', '*\\/').replace(/\s+/g, ' ').trim()} */\n`;
}
