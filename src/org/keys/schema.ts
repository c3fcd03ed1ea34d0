import { type KeyRole, type Scope, scopesOf } from "../../contract/access.ts";

/**
 * `minted_by` is the key or the person that a key was minted by. It is null for keys that the operator made. `pepper`
 * marks the pepper that a digest was made with.
 */
export const KEY_STEPS = {
  "keys/1": `CREATE TABLE keys (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      role TEXT NOT NULL,
      scopes TEXT NOT NULL,
      digest TEXT NOT NULL,
      last4 TEXT NOT NULL,
      previous_expires_at INTEGER,
      not_before INTEGER,
      expires_at INTEGER,
      revoked_at INTEGER,
      created_at INTEGER NOT NULL,
      minted_by TEXT,
      pepper TEXT
    ) STRICT;
    CREATE INDEX keys_minted_by ON keys (minted_by) WHERE minted_by IS NOT NULL;
    CREATE TABLE previous_secrets (
      key_id TEXT NOT NULL,
      digest TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      pepper TEXT,
      PRIMARY KEY (key_id, digest)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE key_uses (
      key_id TEXT PRIMARY KEY,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  "keys/2": {
    fill: (sql: SqlStorage) => completeScopes(sql, ["provider-keys:read", "provider-keys:write"]),
  },
};

/**
 * A key that has every other scope of its role gets those that are new: operations that need all of them go on working. A step for
 * later ones names these too, because this one may have run before they were known.
 */
function completeScopes(sql: SqlStorage, added: readonly Scope[]): void {
  const keys = sql.exec<{ id: string; role: KeyRole; scopes: string }>("SELECT id, role, scopes FROM keys");
  for (const { id, role, scopes } of keys.toArray()) {
    const had = new Set(JSON.parse(scopes) as Scope[]);
    const all = scopesOf(role);
    if (!all.every((scope) => had.has(scope) || added.includes(scope))) continue;
    sql.exec("UPDATE keys SET scopes = ? WHERE id = ?", JSON.stringify(all), id);
  }
}
