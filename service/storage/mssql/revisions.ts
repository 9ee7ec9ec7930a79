// Owns the statements that tell every node of a change.

export const ADVANCE_HANDLERS = "UPDATE chokaq.revisions SET value = value + 1 WHERE name = 'handlers';";
export const ADVANCE_KEYS = "UPDATE chokaq.revisions SET value = value + 1 WHERE name = 'keys';";
