import { meterRowOf, type Phase } from "../../contract/meter-kinds.ts";
import {
  type Attempt,
  availableOf,
  budgetAmounts,
  denialOf,
  groupIn,
  publishedPeriod,
} from "../../domain/refusal/limit-denials.ts";
import { type Account, countsGroups, roomOf } from "../../domain/meter/meter.ts";
import { formatUsd } from "../../domain/price/money.ts";
import {
  addNotice,
  thresholdsToAnnounce,
  thresholdWord,
  wasAnnounced,
} from "../../domain/meter/alert-notices.ts";
import { formatShare } from "../../domain/price/share.ts";
import type { Tx } from "../kernel/door.ts";
import { type MeterAccount, loadUsage, newEntry, saveUsage } from "../meters/usage.ts";

const REFUSED = "refused";

/** The subject of a limit, for readers of the event. A group of calls is named beside it. */
function about(account: Account) {
  const { meter, subject } = account;
  const isScope = subject === "" || countsGroups(meter);
  return { scope_id: (isScope ? meter.scope.id : subject) || null, mode: meter.mode, ...groupIn(account) };
}

/** A limit's first refusal in its window is announced. A shadow limit announces what it would have refused. */
export function announceRefusal(tx: Tx, entry: MeterAccount, attempt: Attempt, phase: Phase): void {
  const { event } = meterRowOf(entry.meter.kind);
  if (event === null || wasAnnounced(entry.notices, REFUSED)) return;
  entry.notices = addNotice(entry.notices, REFUSED);
  tx.emit(event, { ...denialOf(entry, attempt, phase).details, ...about(entry) });
}

/** The same after a refusal has rolled everything back: read again, so that only the notice is written. */
export function announceLoneRefusal(tx: Tx, refusedBy: Account, attempt: Attempt, phase: Phase): void {
  const entry = { ...newEntry(refusedBy.meter, refusedBy.subject, tx.now), window: refusedBy.window };
  loadUsage(tx.sql, [entry]);
  announceRefusal(tx, entry, attempt, phase);
  saveUsage(tx.sql, [entry]);
}

/** Announces the consequences of a charge: thresholds reached, a low balance, a pack used up, a plan exceeded. */
export function announceCharges(tx: Tx, entries: Iterable<MeterAccount>): void {
  for (const entry of entries) {
    if (entry.usage === entry.stored.usage) continue;
    announceThresholds(tx, entry);
    if (entry.meter.kind === "quota") announceLow(tx, entry);
    if (entry.meter.kind === "credit_pack") announceDepleted(tx, entry);
    if (entry.meter.mode === "count" && entry.usage.over > 0n) {
      announceRefusal(tx, entry, { nanos: 0n, tokens: 0, depth: 0 }, "run");
    }
  }
}

function announceThresholds(tx: Tx, entry: MeterAccount): void {
  const { alert } = meterRowOf(entry.meter.kind);
  if (alert === null) return;
  for (const share of thresholdsToAnnounce(entry, entry.notices)) {
    entry.notices = addNotice(entry.notices, thresholdWord(share));
    tx.emit(alert, {
      [entry.meter.kind === "budget" ? "budget_id" : "limit_id"]: entry.meter.id,
      scope_kind: entry.meter.scope.kind,
      ...about(entry),
      threshold: formatShare(share),
      ...budgetAmounts(entry),
      ...publishedPeriod(entry),
    });
  }
}

function announceLow(tx: Tx, entry: MeterAccount): void {
  const { lowRoom } = entry.meter;
  const room = roomOf(entry);
  if (lowRoom === undefined || room === null || room >= lowRoom || wasAnnounced(entry.notices, "low")) return;
  entry.notices = addNotice(entry.notices, "low");
  tx.emit("quota.low", {
    available_usd: formatUsd(availableOf(entry)),
    low_balance_usd: formatUsd(lowRoom),
  });
}

function announceDepleted(tx: Tx, entry: MeterAccount): void {
  if (entry.usage.spent !== entry.meter.limit || wasAnnounced(entry.notices, "depleted")) return;
  entry.notices = addNotice(entry.notices, "depleted");
  tx.emit("credit_pack.depleted", {
    credit_pack_id: entry.meter.id,
    customer_id: entry.meter.scope.id,
    amount_usd: formatUsd(entry.meter.limit ?? 0n),
  });
}
