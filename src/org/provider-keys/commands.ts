import type { NewProviderKey } from "../../contract/resources/provider-keys.ts";
import { refuse } from "../../contract/refusal.ts";
import { encrypt, ENCRYPTED_FOR } from "../../domain/key/encrypt.ts";
import { saveRow } from "../../storage/save-row.ts";
import { command, done } from "../kernel/door.ts";
import { loadProviderKey, type ProviderKeyRow, type AccessSecrets, toProviderKey } from "./store.ts";

const MOST_PROVIDER_KEYS = 100;
const SHOWN = 4;

type SetProviderKey = NewProviderKey & { readonly provider: string };

export const setProviderKey = command({
  action: "provider_key.set",
  refuses: ["conflict"],
  current(view, { provider }: SetProviderKey) {
    const row = loadProviderKey(view.sql, provider);
    return row === null ? null : toProviderKey(row);
  },
  run(tx, { provider, secret, base_url, headers, models }: SetProviderKey) {
    const before = loadProviderKey(tx.sql, provider);
    if (before === null && countKeys(tx.sql) >= MOST_PROVIDER_KEYS) {
      const message = `An organization can have at most ${MOST_PROVIDER_KEYS} keys of providers. Delete one first.`;
      return refuse("conflict", {}, { message });
    }
    const access: AccessSecrets = { secret, headers: headers ?? {} };
    const row: ProviderKeyRow = {
      provider,
      sealed: encrypt(tx.settings.SVC_KEY_PEPPER, ENCRYPTED_FOR.providerKey, JSON.stringify(access)),
      // At least as much of it stays hidden as is shown.
      last4: secret.length >= 2 * SHOWN ? secret.slice(-SHOWN) : "****",
      base_url: base_url ?? null,
      header_names: JSON.stringify(Object.keys(access.headers)),
      models: models === undefined || models === null ? null : JSON.stringify(models),
      created_at: before?.created_at ?? tx.now,
      updated_at: tx.now,
    };
    saveRow(tx.sql, "provider_keys", row);
    const { created_at: _, updated_at: __, ...detail } = toProviderKey(row);
    return done(200, toProviderKey(row), { target: provider, detail });
  },
});

function countKeys(sql: SqlStorage): number {
  return sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM provider_keys").one().count;
}

export const deleteProviderKey = command({
  action: "provider_key.deleted",
  refuses: ["not_found", "conflict"],
  current(view, { provider }: { provider: string }) {
    const row = loadProviderKey(view.sql, provider);
    return row === null ? null : toProviderKey(row);
  },
  run(tx, { provider }) {
    const row = loadProviderKey(tx.sql, provider);
    if (row === null) return refuse("not_found");
    tx.sql.exec("DELETE FROM provider_keys WHERE provider = ?", provider);
    return done(204, null, { target: provider, detail: { last4: row.last4 } });
  },
});
