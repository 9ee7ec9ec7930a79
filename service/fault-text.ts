// Owns how a breach of the contract is said to people: the validator's words, in ours.

type Words = readonly [said: RegExp, ours: string];

/** The first that matches counts; what none matches is said as the validator says it. */
const WORDS: readonly Words[] = [
  [/"date-time"/u, 'is not an existing RFC 3339 instant with an offset, such as 2026-11-30T12:00:00Z'],
  [/must match pattern ".*\|ms\|.*"|15\}ms\)/u, 'is not a duration such as 250ms, 30s, 5m, 1h30m or 7d'],
  [/must match pattern "\^\[A-Za-z0-9_:\\-\]\{1,50\}\$"/u, 'must be 1 to 50 characters out of A-Z a-z 0-9 _ : and -'],
  [/must match pattern "\^\(\?:true\|false/u, 'must be true, false, or nothing at all'],
  [/must match pattern "\^whsec_/u, 'must be whsec_ and the base64 of 24 to 64 bytes; leave it out and one is made'],
  [/must match pattern "\^"\\d/u, 'is not an ETag such as "1-3", in its double quotes'],
  [/^must have required property/u, 'is required'],
  [/^must NOT have fewer than (\d+) (characters|items|properties)$/u, 'must have at least $1 $2'],
  [/^must NOT have more than (\d+) (characters|items|properties)$/u, 'must have at most $1 $2'],
  [
    /reserved characters/u,
    "holds one of : / ? # [ ] @ ! $ & ' ( ) * + , ; = as it is; percent-encode it if it is meant, and give a single value",
  ],
  [/^Unknown query parameter.*$/su, 'is not known'],
  [/^Empty value found for query parameter.*$/su, 'is empty'],
];

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** Shapes of `must be …`: a kind, several kinds, a bound, a choice. */
const KIND_LIST =
  /^must be (?:string|integer|number|boolean|array|object|null)(?:,(?:string|integer|number|boolean|array|object|null))*$/u;

export function inWords(said: string): string {
  if (KIND_LIST.test(said)) return `must be ${kinds(said.slice('must be '.length).split(','))}`;
  if (said.startsWith('must be equal to one of')) return `must be one of ${said.slice(said.indexOf(':') + 2)}`;
  const bounded = said.replace(/^must be >= /u, 'must be at least ').replace(/^must be <= /u, 'must be at most ');
  const [pattern, ours] = WORDS.find(([words]) => words.test(bounded)) ?? [];
  if (pattern === undefined || ours === undefined) return bounded;
  return ours.includes('$1') ? bounded.replace(pattern, ours) : ours;
}

function kinds(names: readonly string[]): string {
  return names.map(name => KINDS[name] ?? name).join(' or ');
}
