import { DAY_MS } from "../../contract/durations.ts";
import { type Refusal, refuse } from "../../contract/refusal.ts";
import { digestPair } from "../../domain/key/peppers.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { command, done, query, type View } from "../kernel/door.ts";
import { loadKey, problemOf } from "../keys/store.ts";
import { orgSnapshot } from "../snapshots/snapshot.ts";

/** Tokens with which one customer reads its own standing and usage, and nothing else. */

type TokenRow = { id: string; customer_id: string; minted_by: string; expires_at: number };

/** A token that has expired is known for so long, to say so. */
const KNOWN_AFTER_MS = DAY_MS;

export const mintCustomerToken = command({
  action: "customer_token.minted",
  refuses: [],
  run(tx, input: { customerId: string; ttlSeconds: number; digest: string; token: string }) {
    tx.sql.exec("DELETE FROM customer_tokens WHERE expires_at <= ?", tx.now - KNOWN_AFTER_MS);
    const id = newId("ctk", tx.now);
    const expiresAt = Math.min(tx.now + input.ttlSeconds * 1000, minterEnds(tx));
    tx.sql.exec(
      `INSERT INTO customer_tokens (digest, id, customer_id, minted_by, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
      input.digest,
      id,
      input.customerId,
      tx.actor.kind === "key" ? tx.actor.id : "",
      tx.now,
      expiresAt,
    );
    const expires_at = new Date(expiresAt).toISOString();
    return done(
      201,
      { token: input.token, expires_at },
      { target: input.customerId, detail: { token_id: id, expires_at } },
    );
  },
});

/** A token ends with the key that made it, so it says so. */
function minterEnds({ sql, actor }: View): number {
  const key = actor.kind === "key" ? loadKey(sql, actor.id) : null;
  return key?.expires_at ?? Number.POSITIVE_INFINITY;
}

/** Tells who stands behind a token. It is asked about on each request: a key that is revoked takes its tokens along. */
export const admitCustomer = query({
  refuses: ["unauthorized", "key_expired"],
  run(view, { digest }: { digest: string }) {
    const [row] = view.sql
      .exec<TokenRow>(
        "SELECT id, customer_id, minted_by, expires_at FROM customer_tokens WHERE digest IN (?, ?)",
        ...digestPair(digest),
      )
      .toArray();
    if (row === undefined) return refuse("unauthorized");
    return (
      tokenRefusal(view, row) ?? {
        token_id: row.id,
        customer_id: row.customer_id,
        expires_at: row.expires_at,
        org: orgSnapshot(view, view.profile()),
      }
    );
  },
});

function tokenRefusal(view: View, row: TokenRow): Refusal<"key_expired"> | null {
  if (row.expires_at <= view.now)
    return refuse("key_expired", {}, { message: "This customer token has expired." });
  if (row.minted_by === "") return null;
  const key = loadKey(view.sql, row.minted_by);
  if (key !== null && problemOf(key, view.now) === null) return null;
  const message = "The key that made this customer token is no longer valid.";
  return refuse("key_expired", {}, { message });
}
