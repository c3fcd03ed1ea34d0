/** One row per isolate that has, or recently had, slices of this org's limits. The slices are in `lease_slices`, as JSON. */
export const GATE_STEPS = {
  "gate/1": `CREATE TABLE lease_holders (
      holder TEXT PRIMARY KEY,
      attempt INTEGER NOT NULL,
      batch INTEGER NOT NULL,
      asked_at INTEGER NOT NULL,
      slices TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
  // Existing slices are checked when the object next wakes.
  "gate/2": `INSERT INTO due (kind, key, at)
      SELECT 'leases', '', MIN(asked_at) FROM lease_holders HAVING COUNT(*) > 0`,
  "gate/3": "ALTER TABLE lease_holders ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0",
  // All slices of an isolate, in as many rows as they need.
  "gate/4": `CREATE TABLE lease_slices (
      holder TEXT NOT NULL,
      part INTEGER NOT NULL,
      slices TEXT NOT NULL,
      PRIMARY KEY (holder, part)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO lease_slices SELECT holder, 0, slices FROM lease_holders WHERE slices <> '[]';
    UPDATE lease_holders SET slices = '[]' WHERE slices <> '[]';
    ALTER TABLE lease_holders ADD COLUMN until INTEGER NOT NULL DEFAULT 0`,
};
