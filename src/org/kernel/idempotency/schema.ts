export const IDEMPOTENCY_STEPS = {
  "idempotency/1": `CREATE TABLE idempotency (
      route TEXT NOT NULL,
      key TEXT NOT NULL,
      digest TEXT NOT NULL,
      fence INTEGER NOT NULL,
      seed TEXT NOT NULL,
      reserved_at INTEGER NOT NULL,
      status INTEGER,
      code TEXT,
      etag TEXT,
      sealed TEXT,
      PRIMARY KEY (route, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX idempotency_age ON idempotency (reserved_at);
    CREATE TABLE idempotency_parts (
      route TEXT NOT NULL,
      key TEXT NOT NULL,
      part INTEGER NOT NULL,
      sealed TEXT NOT NULL,
      PRIMARY KEY (route, key, part)
    ) STRICT`,
};
