/** The schema steps of the platform's own objects. Append-only; `npm run freeze` records their digests. */

export const COUNTER_STEPS: readonly string[] = [
  `CREATE TABLE counts (series TEXT PRIMARY KEY, total INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE sources (source TEXT PRIMARY KEY, settled INTEGER NOT NULL, seen_at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE batches (source TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (source, seq)) STRICT, WITHOUT ROWID`,
  // One row for each source instead of one for each batch, because written rows are billed.
  `ALTER TABLE sources ADD COLUMN applied TEXT NOT NULL DEFAULT '[]';
   UPDATE sources SET applied = (SELECT json_group_array(seq) FROM batches WHERE batches.source = sources.source);
   DROP TABLE batches`,
  `CREATE TABLE gauges (
     name TEXT NOT NULL, source TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (name, source)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX gauges_by_value ON gauges (name, value)`,
  // What a source has counted and `counts` does not have yet, so that a batch is one row.
  `ALTER TABLE sources ADD COLUMN pending TEXT NOT NULL DEFAULT '{}'`,
];

export const REGISTRY_STEPS: readonly string[] = [
  `CREATE TABLE flagged (
     position INTEGER PRIMARY KEY, method TEXT NOT NULL, route TEXT NOT NULL, since TEXT NOT NULL, sunset TEXT NOT NULL,
     replacement TEXT, documentation TEXT, UNIQUE (method, route)
   ) STRICT`,
  `CREATE TABLE version (current INTEGER NOT NULL) STRICT`,
  `INSERT INTO version (current) VALUES (0)`,
];
