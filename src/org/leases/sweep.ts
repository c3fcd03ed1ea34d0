import { DUE } from "../kernel/due-kinds.ts";
import { isRateKey } from "../../domain/rate/policy.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import type { Tx, View } from "../kernel/door.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import type { Clock } from "../rate-limits/meters.ts";
import { leaseLedgerOf, deleteHolder, saveHolder } from "./ledger-store.ts";
import { LeasedAccounts } from "./money.ts";

/** When slices are next checked, by the org's clock. Null if no dollars are leased. */
const lookedAt = new TransactionalCache<number | null>();

/** Takes back what isolates that never reported may have held, once the last such hold has ended. */
export function sweepLeases(view: View, clock: Clock): void {
  const book = leaseLedgerOf(view.sql);
  const { orphans, gone } = book.sweep(clock.real);
  for (const [holder, lost] of Map.groupBy(orphans, (orphan) => orphan.holder)) {
    saveHolder(
      view.sql,
      holder,
      lost.map(({ meter }) => meter),
    );
  }
  for (const holder of gone) deleteHolder(view.sql, holder);
  const money = orphans.filter(({ meter }) => isMoneyKey(meter));
  if (money.length === 0) return;
  const accounts = new LeasedAccounts(
    view.sql,
    money.map(({ meter }) => meter),
    clock,
  );
  accounts.free(money);
  accounts.save();
}

/**
 * After an isolate was leased slices. One row stands for the slices of all isolates, due when the first of them may be
 * orphaned. Renewed slices end later: the row finds that out when it is due, and no lease writes it again.
 */
export function sweepWhenOrphaned(tx: Tx, holder: string, clock: Clock): void {
  const due = lookedAt.get(tx.sql, () => readDue(tx.sql));
  const ends = leaseLedgerOf(tx.sql).orphanedAt(isMoneyKey, holder);
  if (ends === null) return;
  const at = ends + clock.org - clock.real;
  if (due !== null && due <= at) return;
  tx.schedule(DUE.leases, "", at);
  lookedAt.set(tx.sql, at);
}

/** When a test org's clock is moved ahead, so are the ends of what was held from slices that are out of use. */
export function moveSlicesAhead(tx: Tx, byMs: number): void {
  const book = leaseLedgerOf(tx.sql);
  book.moveAhead(byMs, tx.now - tx.profile().clockOffsetMs);
  for (const { holder, slices } of book.holders()) {
    saveHolder(
      tx.sql,
      holder,
      slices.map(([meter]) => meter),
    );
  }
}

/**
 * Slices use the object's own clock, which a test org's clock may be ahead of, so a row that comes early takes nothing
 * back. Rate limits need no row: they ignore what has ended.
 */
export const freeOrphans: DueHandler = {
  kind: "change",
  run(tx) {
    const aheadMs = tx.profile().clockOffsetMs;
    sweepLeases(tx, { real: tx.now - aheadMs, org: tx.now });
    const ends = leaseLedgerOf(tx.sql).orphanedAt(isMoneyKey);
    const next = ends === null ? null : ends + aheadMs;
    tx.schedule(DUE.leases, "", next);
    lookedAt.set(tx.sql, next);
  },
};

function isMoneyKey(key: string): boolean {
  return !isRateKey(key);
}

function readDue(sql: SqlStorage): number | null {
  const rows = sql.exec<{ at: number }>("SELECT at FROM due WHERE kind = ? AND key = ''", DUE.leases);
  return rows.toArray()[0]?.at ?? null;
}
