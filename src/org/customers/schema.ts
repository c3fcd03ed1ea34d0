/** The settings of customers are in `customers`: amounts as the API writes them. Most customers have no row there. */
export const CUSTOMER_STEPS = {
  "customers/1": `CREATE TABLE customer_tokens (
      digest TEXT PRIMARY KEY,
      id TEXT NOT NULL,
      customer_id TEXT NOT NULL,
      minted_by TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX customer_tokens_expiry ON customer_tokens (expires_at)`,
  "customers/2": `CREATE TABLE customers (
      customer_id TEXT PRIMARY KEY,
      name TEXT,
      usd_per_month TEXT,
      markup TEXT
    ) STRICT, WITHOUT ROWID`,
};
