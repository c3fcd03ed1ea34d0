import type { ProviderAccess } from "../../contract/resources/provider-keys.ts";
import { refuse } from "../../contract/refusal.ts";
import { ENCRYPTED_FOR, decryptAny } from "../../domain/key/encrypt.ts";
import { peppersOf } from "../../settings.ts";
import { query } from "../kernel/door.ts";
import {
  loadProviderKey,
  modelsOf,
  type ProviderKeyRow,
  type AccessSecrets,
  toProviderKey,
  providerKeyNow,
} from "./store.ts";
import { readList, readOne } from "../kernel/resource.ts";

export const getProviderKey = readOne(providerKeyNow);

export const listProviderKeys = readList(() => ({
  table: "provider_keys",
  sort: { provider: "provider", created_at: "created_at" },
  id: "provider",
  toItem: toProviderKey,
}));

/** The secret itself, for the `Gate` entrypoint alone. */
export const openProviderKey = query({
  refuses: ["not_found"],
  run({ sql, settings }, { provider }: { provider: string }) {
    const row: ProviderKeyRow | null = loadProviderKey(sql, provider);
    if (row === null) return refuse("not_found");
    const text = decryptAny(peppersOf(settings), ENCRYPTED_FOR.providerKey, row.sealed);
    const access = JSON.parse(text) as AccessSecrets;
    return { provider, ...access, base_url: row.base_url, models: modelsOf(row) } satisfies ProviderAccess;
  },
});
