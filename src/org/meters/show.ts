import { availableOf } from "../../domain/refusal/limit-denials.ts";
import { overByFacts, totalSpent } from "../../domain/meter/meter.ts";
import { formatUsd, parseUsd } from "../../domain/price/money.ts";
import { formatShare } from "../../domain/price/share.ts";
import type { View } from "../kernel/door.ts";
import { type MeterRow, toMeter } from "./store.ts";
import { type MeterAccount, loadUsage, newEntry } from "./usage.ts";

/** A limit with its usage in the current window. */
export function entryNow(view: View, row: MeterRow): MeterAccount {
  const entry = newEntry(toMeter(row, view.now), "", view.now);
  loadUsage(view.sql, [entry]);
  return entry;
}

/** The amounts that every dollar limit shows. */
export function amountsOf(entry: MeterAccount) {
  return {
    spent_usd: formatUsd(totalSpent(entry.usage)),
    reserved_usd: formatUsd(entry.usage.held + entry.usage.leased),
    available_usd: formatUsd(availableOf(entry)),
  };
}

/** Returns the amounts of a customer's limit. */
export function limitAmounts(entry: MeterAccount) {
  return { ...amountsOf(entry), over_usd: formatUsd(overByFacts(entry)) };
}

/** Shares of a limit, as stored and as shown. */
export function storedShares(shares: readonly string[]): string[] {
  return shares.map((share) => String(parseUsd(share) ?? 0n));
}

export function showShares(shares: readonly string[]): string[] {
  return shares.map((share) => formatShare(BigInt(share)));
}

/** The `extra` of a limit that has nothing else in it. */
export function sharesExtra(shares: readonly string[] | undefined): string {
  return JSON.stringify(shares === undefined ? {} : { thresholds: storedShares(shares) });
}

/** The alert thresholds of a limit. */
export function sharesOf({ extra }: Pick<MeterRow, "extra">): string[] {
  const { thresholds = [] } = JSON.parse(extra) as { readonly thresholds?: readonly string[] };
  return showShares(thresholds);
}
