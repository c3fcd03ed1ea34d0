import { tryDecrypt, ENCRYPTED_FOR } from "../../domain/key/encrypt.ts";
import { peppersOf, type Settings } from "../../settings.ts";

/** Where an org stores what is encrypted for good. Encrypted answers and sign-ins are accepted until they expire. */
export const ENCRYPTED_COLUMNS = [
  { table: "webhook_secrets", key: "seq", purpose: ENCRYPTED_FOR.webhookSecret },
  { table: "webhook_subscriptions", key: "id", purpose: ENCRYPTED_FOR.webhookAddress },
  { table: "exports", key: "name", purpose: ENCRYPTED_FOR.exportDestination },
  { table: "provider_keys", key: "provider", purpose: ENCRYPTED_FOR.providerKey },
  { table: "sso", key: "only", purpose: ENCRYPTED_FOR.ssoConnection },
  { table: "pepper_state", key: "only", purpose: ENCRYPTED_FOR.reservationKey },
] as const;

export type EncryptedColumn = (typeof ENCRYPTED_COLUMNS)[number];

/** The values of a table that are not encrypted under the current pepper. */
export function* staleValues(
  sql: SqlStorage,
  settings: Settings,
  { table, key, purpose }: EncryptedColumn,
): Generator<{ readonly id: string | number; readonly sealed: string }> {
  const [current] = peppersOf(settings);
  const rows = sql.exec<{ id: string | number; sealed: string }>(
    `SELECT ${key} AS id, sealed FROM ${table} WHERE sealed IS NOT NULL`,
  );
  for (const row of rows.toArray()) if (tryDecrypt(current, purpose, row.sealed) === null) yield row;
}
