// Owns how texts travel and are kept inside JSON: without the characters that servers unescape differently, and back.

/** Stands before a sign that says which character is meant; both are of private use, so that hardly any text has them. */
const MARK = '\uE000';
const SIGNS = new Map([
  [MARK, '\uE001'],
  ['"', '\uE002'],
  ['\\', '\uE003'],
  [',', '\uE004'],
  ['[', '\uE005'],
  [']', '\uE006'],
]);
const IN_JSON = /[\uE000"\\]/g;
const IN_TAGS = /[\uE000"\\,[\]]/g;

/** A text without quotes and backslashes. Control characters must not be in it. */
export function marked(text: string): string {
  return text.replace(IN_JSON, markOf);
}

export function markedOrNull(text: string | null): string | null {
  return text === null ? null : marked(text);
}

function markOf(character: string): string {
  return MARK + (SIGNS.get(character) ?? '');
}

/** The T-SQL that reads a marked text. Binary, because other collations take the mark for nothing. */
export function unmarked(column: string): string {
  const steps = [`N'"', 57346`, `N'\\', 57347`, 'NCHAR(57344), 57345'].map(
    step => step.split(', ') as [string, string],
  );
  return steps.reduce(
    (text, [character, sign]) => `REPLACE(${text}, NCHAR(57344) + NCHAR(${sign}), ${character})`,
    `${column} COLLATE Latin1_General_BIN2`,
  );
}

/** A tag as it is kept: whatever separates tags in their JSON cannot be inside one, so that texts alone tell them apart. */
export function keptTag(tag: string): string {
  return tag.replace(IN_TAGS, markOf);
}

/** Tags as one JSON text, or null when there are none. */
export function keptTags(tags: readonly string[]): string | null {
  return tags.length === 0 ? null : JSON.stringify(tags.map(keptTag));
}

/** The row with its tags as they were given, in JSON. */
export function withGivenTags<Row extends { readonly tags: string | null }>(row: Row): Row {
  if (!row.tags?.includes(MARK)) return row;
  const tags = (JSON.parse(row.tags) as readonly string[]).map(givenTag);
  return { ...row, tags: JSON.stringify(tags) };
}

const GIVEN = new Map([...SIGNS].map(([character, sign]) => [MARK + sign, character]));

function givenTag(kept: string): string {
  return kept.replace(/\uE000./g, found => GIVEN.get(found) ?? found);
}
