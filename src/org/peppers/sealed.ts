import { opened } from "../../domain/seal.ts";
import { peppersOf, type Settings } from "../../settings.ts";
import { PURPOSE as EXPORT_PURPOSE } from "../exports/secret.ts";
import { PURPOSE as SSO_PURPOSE } from "../people/sso.ts";
import { PURPOSE as WEBHOOK_PURPOSE } from "../webhooks/secrets.ts";
import { RESERVATION_PURPOSE } from "./state.ts";

/** Where an org keeps what is sealed for good. Sealed answers and sign-ins are accepted until they expire. */
export const SEALED = [
  { table: "webhook_secrets", key: "seq", purpose: WEBHOOK_PURPOSE },
  { table: "exports", key: "name", purpose: EXPORT_PURPOSE },
  { table: "sso", key: "only", purpose: SSO_PURPOSE },
  { table: "pepper_state", key: "only", purpose: RESERVATION_PURPOSE },
] as const;

export type SealedPlace = (typeof SEALED)[number];

/** The values of a table that are not sealed under the current pepper. */
export function* sealedBefore(
  sql: SqlStorage,
  settings: Settings,
  { table, key, purpose }: SealedPlace,
): Generator<{ readonly id: string | number; readonly sealed: string }> {
  const [current] = peppersOf(settings);
  const rows = sql.exec<{ id: string | number; sealed: string }>(
    `SELECT ${key} AS id, sealed FROM ${table} WHERE sealed IS NOT NULL`,
  );
  for (const row of rows.toArray()) if (opened(current, purpose, row.sealed) === null) yield row;
}
