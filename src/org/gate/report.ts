import { newId } from "../../domain/ulid.ts";
import type { Tx } from "../door.ts";
import { expireNoLaterThan } from "../holds/expire.ts";
import type { LeasedAccounts } from "./money.ts";

/** Which dollar limits a hold was made against: the same for many, so it is sent once for all of them. */
export interface ReportedTouch {
  readonly keys: readonly string[];
  /** Their meters' ids, between spaces, as the hold's row has them. */
  readonly meters: string;
  readonly customer: string | null;
}

/** A hold that an isolate made from its slices. */
export type ReportedHold = readonly [
  touch: number,
  id: string,
  requestId: string | null,
  amount: string,
  at: number,
  expiresAt: number,
];

/** What the object has no hold for where it was leased, by limit: it goes back instead of being held there. */
export type Dropped = ReadonlyMap<string, bigint>;

/**
 * Makes rows of reported holds, in one statement. A request that was decided twice, in two isolates, has one name in
 * both: its hold is kept once, for as long as the later one said. Where it was another question under the same name,
 * both were allowed and both are held. A report that comes when its holds are over adds none.
 */
export function keepHolds(
  tx: Tx,
  holds: readonly ReportedHold[],
  touches: readonly ReportedTouch[],
  accounts: LeasedAccounts,
): Dropped {
  const dropped = new Map<string, bigint>();
  const drop = ([touch, , , amount]: ReportedHold, keys = touches[touch]?.keys ?? []): void => {
    for (const key of keys) dropped.set(key, (dropped.get(key) ?? 0n) + BigInt(amount));
  };
  const since = touches.map(({ keys }) => accounts.heldSince(keys));
  const astray = touches.map(({ keys }) => accounts.astray(keys));
  const placed = (hold: ReportedHold): ReportedHold => {
    const [touch, id, requestId, amount, at, expiresAt] = hold;
    const heldAt = Math.max(at, since[touch] ?? 0);
    const elsewhere = astray[touch] ?? [];
    for (const key of elsewhere) accounts.holdAstray(key, heldAt, BigInt(amount));
    if (elsewhere.length > 0) drop(hold, elsewhere);
    return heldAt === at ? hold : [touch, id, requestId, amount, heldAt, expiresAt];
  };
  const known = knownHolds(tx.sql, holds);
  const fresh: ReportedHold[] = [];
  for (const hold of holds) {
    const [touch, id, requestId, amount, at, expiresAt] = hold;
    const before = known.get(id);
    const { meters = "", customer = null } = touches[touch] ?? {};
    if (expiresAt <= tx.now) drop(hold);
    else if (before === undefined) {
      fresh.push(placed(hold));
      if (requestId !== null) known.set(id, { status: "open", amount, meters, customer });
    } else if (before.amount !== amount || before.meters !== meters || before.customer !== customer) {
      fresh.push(placed([touch, newId("rsv", at), null, amount, at, expiresAt]));
    } else {
      if (before.status === "open") {
        tx.sql.exec("UPDATE holds SET expires_at = max(expires_at, ?) WHERE id = ?", expiresAt, id);
      }
      drop(hold);
    }
  }
  insert(tx, fresh, touches);
  return dropped;
}

type KnownHold = {
  readonly status: string;
  readonly amount: string;
  readonly meters: string;
  readonly customer: string | null;
};

/**
 * The holds that stand, or were settled, under the names of reported ones. Only a request id can have been decided
 * elsewhere as well: every other hold has a name of its own.
 */
function knownHolds(sql: SqlStorage, holds: readonly ReportedHold[]): Map<string, KnownHold> {
  const ids = holds.flatMap(([, id, requestId]) => (requestId === null ? [] : [id]));
  if (ids.length === 0) return new Map();
  const rows = sql.exec<{ id: string } & KnownHold>(
    `SELECT h.id, h.status, h.amount, h.meters, h.customer_id AS customer
     FROM json_each(?) AS k CROSS JOIN holds AS h ON h.id = k.value WHERE h.status IN ('open', 'settled')`,
    JSON.stringify(ids),
  );
  return new Map(rows.toArray().map((row) => [row.id, row]));
}

function insert(tx: Tx, holds: readonly ReportedHold[], touches: readonly ReportedTouch[]): void {
  if (holds.length === 0) return;
  let first = Number.POSITIVE_INFINITY;
  for (const [, , , , , expiresAt] of holds) first = Math.min(first, expiresAt);
  expireNoLaterThan(tx, first);
  tx.sql.exec(
    `INSERT OR REPLACE INTO holds
       (id, request_id, digest, status, at, expires_at, ended_at, amount, meters, customer_id, verdict)
     SELECT h.value ->> 1, h.value ->> 2, '', 'open', h.value ->> 4, h.value ->> 5, NULL, h.value ->> 3,
       t.value ->> 0, t.value ->> 1, ''
     FROM json_each(?1) AS h JOIN json_each(?2) AS t ON t.key = h.value ->> 0`,
    JSON.stringify(holds),
    JSON.stringify(touches.map(({ meters, customer }) => [meters, customer])),
  );
}
