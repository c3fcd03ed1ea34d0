import type { KeyRole, Scope } from "../../contract/access.ts";
import type { Key } from "../../contract/resources/keys.ts";
import { BoundedMap } from "../../domain/cache/bounded-map.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import type { View } from "../kernel/door.ts";
import { lastUseOf } from "./uses.ts";
import { saveRow } from "../../storage/rows.ts";
import { keyProblem } from "../../domain/key/state.ts";
import { iso } from "../../domain/time/iso.ts";

export type KeyRow = {
  id: string;
  name: string;
  role: KeyRole;
  scopes: string;
  digest: string;
  last4: string;
  previous_expires_at: number | null;
  not_before: number | null;
  expires_at: number | null;
  revoked_at: number | null;
  created_at: number;
  /** The key or the person that minted it; null: the operator. */
  minted_by: string | null;
  /** The mark of the pepper that the digest was made with. */
  pepper: string;
};

const MOST_COPIES = 1000;
const copies = new TransactionalCache<BoundedMap<string, Readonly<KeyRow>>>();

/** The same object until it changes. Only rows that exist are kept in memory: anyone can ask for others. */
export function loadKey(sql: SqlStorage, id: string): Readonly<KeyRow> | null {
  const known = copies.get(sql, () => new BoundedMap(MOST_COPIES));
  const copy = known.get(id);
  if (copy !== undefined) return copy;
  const row = sql.exec<KeyRow>("SELECT * FROM keys WHERE id = ?", id).toArray()[0] ?? null;
  if (row !== null) known.set(id, Object.freeze(row));
  return row;
}

export function saveKey(sql: SqlStorage, row: KeyRow): void {
  copies.forget(sql);
  saveRow(sql, "keys", row);
}

/** Returns whether no owner key would be left that works now. An expired key does not count. */
export function isLastOwner(sql: SqlStorage, row: KeyRow, now: number): boolean {
  if (row.role !== "owner" || (row.expires_at !== null && row.expires_at <= now)) return false;
  const others = sql.exec(
    `SELECT 1 FROM keys WHERE role = 'owner' AND id <> ? AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > ?) AND (not_before IS NULL OR not_before <= ?) LIMIT 1`,
    row.id,
    now,
    now,
  );
  return others.toArray().length === 0;
}

/** Returns why a key cannot be used now; null if it can. `endsAt`: when it ends, if that is not its own end. */
export function problemOf(row: KeyRow, now: number, endsAt = row.expires_at) {
  return keyProblem({ revoked: row.revoked_at !== null, notBefore: row.not_before, expiresAt: endsAt }, now);
}

function statusAt(row: KeyRow, now: number): Key["status"] {
  if (row.revoked_at !== null) return "revoked";
  if (row.expires_at !== null && row.expires_at <= now) return "expired";
  return row.not_before !== null && row.not_before > now ? "not_yet_valid" : "active";
}

export function toKey({ sql, now }: Pick<View, "sql" | "now">, row: KeyRow): Key {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    scopes: JSON.parse(row.scopes) as Scope[],
    status: statusAt(row, now),
    last4: row.last4,
    not_before: iso(row.not_before),
    expires_at: iso(row.expires_at),
    previous_expires_at: iso(row.previous_expires_at),
    revoked_at: iso(row.revoked_at),
    last_used_at: iso(lastUseOf(sql, row.id)),
    created_at: iso(row.created_at),
  };
}

export function keyNow(view: Pick<View, "sql" | "now">, { keyId }: { keyId: string }): Key | null {
  const row = loadKey(view.sql, keyId);
  return row === null ? null : toKey(view, row);
}
