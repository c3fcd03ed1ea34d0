/** `sealed` has the secret and the headers, encrypted. */
export const PROVIDER_KEY_STEPS = {
  "provider-keys/1": `CREATE TABLE provider_keys (
      provider TEXT PRIMARY KEY,
      sealed TEXT NOT NULL,
      last4 TEXT NOT NULL,
      base_url TEXT,
      header_names TEXT NOT NULL,
      models TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
};
