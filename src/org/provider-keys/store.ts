import type { ProviderKey } from "../../contract/resources/provider-keys.ts";
import { type View } from "../kernel/door.ts";

export type ProviderKeyRow = {
  provider: string;
  sealed: string;
  last4: string;
  base_url: string | null;
  /** JSON. */
  header_names: string;
  /** JSON. Null means every model. */
  models: string | null;
  created_at: number;
  updated_at: number;
};

/** The secrets that are encrypted together. */
export interface AccessSecrets {
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function loadProviderKey(sql: SqlStorage, provider: string): ProviderKeyRow | null {
  const rows = sql.exec<ProviderKeyRow>("SELECT * FROM provider_keys WHERE provider = ?", provider);
  return rows.toArray()[0] ?? null;
}

export function toProviderKey(row: ProviderKeyRow): ProviderKey {
  return {
    provider: row.provider,
    last4: row.last4,
    base_url: row.base_url,
    header_names: JSON.parse(row.header_names) as string[],
    models: modelsOf(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

export function providerKeyNow(
  { sql }: Pick<View, "sql">,
  { provider }: { provider: string },
): ProviderKey | null {
  const row = loadProviderKey(sql, provider);
  return row === null ? null : toProviderKey(row);
}

export function modelsOf({ models }: ProviderKeyRow): string[] | null {
  return models === null ? null : (JSON.parse(models) as string[]);
}
