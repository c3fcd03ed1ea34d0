import { opened, SEALED_FOR } from "../../domain/key/encrypt.ts";
import { peppersOf, type Settings } from "../../settings.ts";

/** Where an org keeps what is sealed for good. Sealed answers and sign-ins are accepted until they expire. */
export const SEALED = [
  { table: "webhook_secrets", key: "seq", purpose: SEALED_FOR.webhookSecret },
  { table: "webhook_subscriptions", key: "id", purpose: SEALED_FOR.webhookAddress },
  { table: "exports", key: "name", purpose: SEALED_FOR.exportDestination },
  { table: "provider_keys", key: "provider", purpose: SEALED_FOR.providerKey },
  { table: "sso", key: "only", purpose: SEALED_FOR.ssoConnection },
  { table: "pepper_state", key: "only", purpose: SEALED_FOR.reservationKey },
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
