/** `rule` is JSON. */
export const FALLBACK_STEPS = {
  "fallbacks/1": `CREATE TABLE fallbacks (
      name TEXT PRIMARY KEY,
      rule TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
};
