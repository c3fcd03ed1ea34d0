/**
 * Counters are TEXT, because sums of 64-bit amounts may exceed 64 bits, and the runtime returns INTEGER columns as
 * doubles. Each is read into a bigint and written back whole. `recounted_at` is when a meter's windows last changed, by
 * the org's clock.
 */
export const METER_STEPS = {
  "meters/1": `CREATE TABLE meters (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      scope_kind TEXT NOT NULL,
      scope_id TEXT NOT NULL,
      amount TEXT,
      period TEXT NOT NULL,
      time_zone TEXT,
      mode TEXT NOT NULL,
      since INTEGER NOT NULL,
      extra TEXT NOT NULL,
      recounted_at INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX meters_scope ON meters (scope_kind, scope_id);
    CREATE INDEX meters_kind ON meters (kind, since);
    CREATE TABLE usage (
      meter_id TEXT NOT NULL,
      subject TEXT NOT NULL,
      window_start INTEGER NOT NULL,
      spent TEXT NOT NULL,
      over TEXT NOT NULL,
      held TEXT NOT NULL,
      leased TEXT NOT NULL,
      notices TEXT NOT NULL,
      PRIMARY KEY (meter_id, subject, window_start)
    ) STRICT, WITHOUT ROWID`,
};
