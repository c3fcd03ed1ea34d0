/** `receivers` is as its owner wrote it. `mail_webhook` is the webhook that sends to addresses in it. */
export const DIGEST_STEPS = {
  "digests/1": `CREATE TABLE digests (
      name TEXT PRIMARY KEY,
      every TEXT NOT NULL,
      at TEXT NOT NULL,
      timezone TEXT NOT NULL,
      receivers TEXT NOT NULL,
      mail_webhook TEXT,
      next_at INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
};
