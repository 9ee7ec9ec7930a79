// Owns how rows with texts travel as JSON: without the characters that servers unescape differently, and back in T-SQL.

/** Stands before a figure that says which character is meant; itself of private use, so that no name is likely to have it. */
const MARK = '\uE000';
const MARKED = new Map([
  [MARK, '0'],
  ['"', '1'],
  ['\\', '2'],
]);
const TO_MARK = /[\uE000"\\]/g;

/** A text without quotes and backslashes. Control characters must not be in it. */
export function marked(text: string): string {
  return text.replace(TO_MARK, found => MARK + (MARKED.get(found) ?? ''));
}

export function markedOrNull(text: string | null): string | null {
  return text === null ? null : marked(text);
}

/** The T-SQL that reads a marked text. Binary, because other collations take the mark for nothing. */
export function unmarked(column: string): string {
  const whole = `${column} COLLATE Latin1_General_BIN2`;
  const mark = 'NCHAR(57344)';
  return `REPLACE(REPLACE(REPLACE(${whole}, ${mark} + N'1', N'"'), ${mark} + N'2', N'\\'), ${mark} + N'0', ${mark})`;
}
