import type { NewProviderKey } from "../../contract/resources/provider-keys.ts";
import { refuse } from "../../contract/refusal.ts";
import { encrypt, ENCRYPTED_FOR } from "../../domain/key/encrypt.ts";
import { countRows, saveRow } from "../../storage/rows.ts";
import { command, done } from "../kernel/door.ts";
import {
  type AccessSecrets,
  loadProviderKey,
  providerKeyNow,
  type ProviderKeyRow,
  toProviderKey,
} from "./store.ts";
import { refuseMore } from "../kernel/resource.ts";

const MOST_PROVIDER_KEYS = 100;
const SHOWN = 4;

type SetProviderKey = NewProviderKey & { readonly provider: string };

export const setProviderKey = command({
  action: "provider_key.set",
  refuses: ["conflict"],
  current: providerKeyNow,
  run(tx, { provider, secret, base_url, headers, models }: SetProviderKey) {
    const before = loadProviderKey(tx.sql, provider);
    if (before === null && countRows(tx.sql, "provider_keys") >= MOST_PROVIDER_KEYS) {
      return refuseMore(MOST_PROVIDER_KEYS, "keys of providers");
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

export const deleteProviderKey = command({
  action: "provider_key.deleted",
  refuses: ["not_found", "conflict"],
  current: providerKeyNow,
  run(tx, { provider }: { provider: string }) {
    const row = loadProviderKey(tx.sql, provider);
    if (row === null) return refuse("not_found");
    tx.sql.exec("DELETE FROM provider_keys WHERE provider = ?", provider);
    return done(204, null, { target: provider, detail: { last4: row.last4 } });
  },
});
