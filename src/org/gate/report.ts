import { newId } from "../../domain/ulid.ts";
import type { Tx } from "../door.ts";
import { jsonRows } from "../json-rows.ts";
import { expireNoLaterThan } from "../holds/expire.ts";
import { deleteHold, type HoldRow, loadHolds, prolongHold } from "../holds/store.ts";
import type { LeasedAccounts } from "./money.ts";
import {
  amountOf,
  endingLater,
  endsAt,
  idOf,
  madeAt,
  madeAtLater,
  REPORTED_COLUMNS,
  type ReportedHold,
  timeText,
  withId,
} from "./reported-hold.ts";

/** Which dollar limits a hold was made against: the same for many, so it is sent once for all of them. */
export interface ReportedTouch {
  readonly keys: readonly string[];
  /** Their meters' ids, between spaces, as the hold's row has them. */
  readonly meters: string;
  /** Null where it makes no difference to them. */
  readonly customer: string | null;
}

/**
 * The holds of one touch. Only a request with an id of its caller's can have been decided elsewhere as well: those are
 * `named` after it, and all others have a name of their own.
 */
export type ReportedHolds = readonly [
  touch: number,
  named: readonly ReportedHold[],
  unnamed: readonly ReportedHold[],
];

/** What the object has no hold for where it was leased, by limit: it goes back instead of being held there. */
export type Dropped = ReadonlyMap<string, bigint>;

/**
 * Makes rows of reported holds, in one statement for each touch. A request that was decided twice, in two isolates, has
 * one name in both: its hold is kept once, for as long as the later one said. Where it was another question under the
 * same name, both were allowed and both are held. A report that comes when its holds are over adds none.
 */
export function keepHolds(
  tx: Tx,
  reported: readonly ReportedHolds[],
  touches: readonly ReportedTouch[],
  accounts: LeasedAccounts,
): Dropped {
  const keeping = new Keeping(tx, accounts, reported);
  for (const [index, named, unnamed] of reported) {
    const touch = touches[index];
    if (touch !== undefined) keeping.keep(touch, named, unnamed);
  }
  return keeping.dropped;
}

/** What is known of the hold that stands, or has stood, under a name. */
type Known = Pick<HoldRow, "status" | "amount" | "meters" | "customer_id">;

class Keeping {
  readonly dropped = new Map<string, bigint>();
  readonly #tx: Tx;
  readonly #accounts: LeasedAccounts;
  readonly #known: Map<string, Known>;
  readonly #now: string;

  constructor(tx: Tx, accounts: LeasedAccounts, reported: readonly ReportedHolds[]) {
    this.#tx = tx;
    this.#accounts = accounts;
    this.#known = loadHolds(
      tx.sql,
      reported.flatMap(([, named]) => named.map(idOf)),
    );
    this.#now = timeText(tx.now);
  }

  keep(touch: ReportedTouch, named: readonly ReportedHold[], unnamed: readonly ReportedHold[]): void {
    const fresh: ReportedHold[] = [];
    for (const hold of named) {
      if (endsAt(hold) <= this.#now) this.#drop(hold, touch.keys);
      else this.#keepNamed(hold, touch, fresh);
    }
    for (const hold of unnamed) {
      if (endsAt(hold) <= this.#now) this.#drop(hold, touch.keys);
      else fresh.push(hold);
    }
    this.#insert(this.#placed(fresh, touch.keys), touch);
  }

  #keepNamed(hold: ReportedHold, { keys, meters, customer }: ReportedTouch, fresh: ReportedHold[]): void {
    const id = idOf(hold);
    const amount = amountOf(hold);
    const before = this.#known.get(id);
    if (before === undefined || (before.status !== "open" && before.status !== "settled")) {
      if (before !== undefined) deleteHold(this.#tx.sql, id);
      fresh.push(hold);
      this.#known.set(id, { status: "open", amount, meters, customer_id: customer });
    } else if (before.amount !== amount || before.meters !== meters || !isOf(customer, before)) {
      fresh.push(withId(hold, newId("rsv", Number(madeAt(hold)))));
    } else {
      if (before.status === "open") this.#prolong(id, endsAt(hold), fresh);
      this.#drop(hold, keys);
    }
  }

  /** A hold that is kept already, or is about to be. */
  #prolong(id: string, end: string, fresh: ReportedHold[]): void {
    const index = fresh.findIndex((hold) => idOf(hold) === id);
    const waiting = fresh[index];
    if (waiting === undefined) prolongHold(this.#tx.sql, id, Number(end));
    else if (endsAt(waiting) < end) fresh[index] = endingLater(waiting, end);
  }

  /** Holds count from when the limits that they are held against began to. */
  #placed(holds: readonly ReportedHold[], keys: readonly string[]): readonly ReportedHold[] {
    const since = timeText(this.#accounts.heldSince(keys));
    const astray = this.#accounts.astray(keys);
    const placed = holds.map((hold) => (madeAt(hold) < since ? madeAtLater(hold, since) : hold));
    for (const hold of astray.length === 0 ? [] : placed) {
      for (const key of astray) {
        this.#accounts.holdAstray(key, Number(madeAt(hold)), BigInt(amountOf(hold)));
      }
      this.#drop(hold, astray);
    }
    return placed;
  }

  #drop(hold: ReportedHold, keys: readonly string[]): void {
    for (const key of keys) {
      this.dropped.set(key, (this.dropped.get(key) ?? 0n) + BigInt(amountOf(hold)));
    }
  }

  #insert(holds: readonly ReportedHold[], { meters, customer }: ReportedTouch): void {
    const [hold] = holds;
    if (hold === undefined) return;
    let first = endsAt(hold);
    for (const other of holds) if (endsAt(other) < first) first = endsAt(other);
    expireNoLaterThan(this.#tx, Number(first));
    const { id, at, expiresAt, amount } = REPORTED_COLUMNS;
    this.#tx.sql.exec(
      `INSERT INTO holds (id, digest, status, at, expires_at, ended_at, amount, meters, customer_id, verdict)
       SELECT ${id}, '', 'open', ${at}, ${expiresAt}, NULL, ${amount}, ?2, ?3, '' FROM ${jsonRows("?1")}`,
      JSON.stringify(holds),
      meters,
      customer,
    );
  }
}

function isOf(customer: string | null, { customer_id: known }: Known): boolean {
  return customer === null || customer === known;
}
