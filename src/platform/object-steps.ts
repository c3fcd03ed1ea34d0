/** The schema steps of the platform's own objects. Append-only; `npm run freeze` records their digests. */

/**
 * A batch is one row, because written rows are billed: `sources` has which batches of a source are `applied`, and what it
 * has counted that `counts` does not have yet.
 */
export const COUNTER_STEPS: readonly string[] = [
  `CREATE TABLE counts (series TEXT PRIMARY KEY, total INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE sources (
     source TEXT PRIMARY KEY, settled INTEGER NOT NULL, seen_at_ms INTEGER NOT NULL,
     applied TEXT NOT NULL DEFAULT '[]', pending TEXT NOT NULL DEFAULT '{}'
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE gauges (
     name TEXT NOT NULL, source TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (name, source)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX gauges_by_value ON gauges (name, value)`,
];

export const REGISTRY_STEPS: readonly string[] = [
  `CREATE TABLE flagged (
     position INTEGER PRIMARY KEY, method TEXT NOT NULL, route TEXT NOT NULL, since TEXT NOT NULL, sunset TEXT NOT NULL,
     replacement TEXT, documentation TEXT, UNIQUE (method, route)
   ) STRICT;
   CREATE TABLE version (current INTEGER NOT NULL) STRICT;
   INSERT INTO version (current) VALUES (0)`,
];
