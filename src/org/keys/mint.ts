import type { KeyRole, Scope } from "../../contract/access.ts";
import { keyDigest, mintKey as newSecret } from "../../domain/api-key.ts";
import { newId } from "../../domain/ulid.ts";
import { command, done, type Tx } from "../door.ts";
import { type KeyRow, saveKey, toKey } from "./store.ts";

export interface NewKey {
  readonly name: string;
  readonly role: KeyRole;
  readonly scopes: readonly Scope[];
  readonly notBefore: number | null;
  readonly expiresAt: number | null;
}

/** Stores a key and returns it with its secret, which exists nowhere else. */
export function createKey(tx: Tx, id: string, input: NewKey): { row: KeyRow; secret: string } {
  const pepper = tx.settings.SVC_KEY_PEPPER;
  const secret = newSecret(pepper, { environment: tx.profile().environment, orgId: tx.orgId, keyId: id });
  const row: KeyRow = {
    id,
    name: input.name,
    role: input.role,
    scopes: JSON.stringify(input.scopes),
    digest: keyDigest(pepper, secret),
    last4: secret.slice(-4),
    previous_expires_at: null,
    not_before: input.notBefore,
    expires_at: input.expiresAt,
    revoked_at: null,
    created_at: tx.now,
  };
  saveKey(tx.sql, row);
  return { row, secret };
}

export const mintKey = command({
  action: "key.created",
  refuses: [],
  run(tx, input: NewKey) {
    const { row, secret } = createKey(tx, newId("key", tx.now), input);
    tx.emit("key.created", { key_id: row.id, name: row.name, role: row.role });
    const detail = { name: row.name, role: row.role, scopes: input.scopes };
    return done(201, { ...toKey(row, tx.now), key: secret }, { target: row.id, detail });
  },
});
