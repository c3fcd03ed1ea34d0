import { digestsIn, pepperMark } from "../../domain/key/peppers.ts";
import { sameSecret } from "../../domain/key/api-key.ts";
import type { Settings } from "../../settings.ts";
import { transaction } from "../../storage/transaction.ts";

type KeyDigest = { digest: string; pepper: string };

/**
 * Stores the digest of a secret that was just used anew, under the current pepper. Only while the pepper is being changed, when
 * a secret comes with its digests under both.
 */
export function rehash(
  storage: DurableObjectStorage,
  keyId: string,
  given: string,
  { SVC_KEY_PEPPER }: Settings,
): void {
  const digests = digestsIn(given);
  const mark = pepperMark(SVC_KEY_PEPPER);
  const current = digests.find((digest) => digest.mark === mark)?.digest;
  if (digests.length < 2 || current === undefined) return;
  const { sql } = storage;
  const isUsed = ({ digest, pepper }: KeyDigest) =>
    pepper !== mark && digests.some((one) => sameSecret(one.digest, digest));
  for (const [table, id] of TABLES) {
    const kept = sql.exec<KeyDigest>(`SELECT digest, pepper FROM ${table} WHERE ${id} = ?`, keyId).toArray();
    const used = kept.find(isUsed);
    if (used === undefined) continue;
    transaction(storage, () => {
      const { digest } = used;
      sql.exec(
        `UPDATE ${table} SET digest = ?, pepper = ? WHERE ${id} = ? AND digest = ?`,
        current,
        mark,
        keyId,
        digest,
      );
      // Sessions and links that were made with the secret continue to work.
      for (const made of ["sessions", "console_links"]) {
        sql.exec(
          `UPDATE ${made} SET key_digest = ? WHERE key_id = ? AND key_digest = ?`,
          current,
          keyId,
          digest,
        );
      }
    });
  }
}

const TABLES = [
  ["keys", "id"],
  ["previous_secrets", "key_id"],
] as const;
