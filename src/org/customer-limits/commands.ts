import type { CustomerLimitChange, NewCustomerLimit } from "../../contract/resources/customer-limits.ts";
import { METERS } from "../../contract/meter-kinds.ts";
import { refuse } from "../../contract/refusal.ts";
import { parseUsd } from "../../domain/price/money.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { command, done, type Tx } from "../kernel/door.ts";
import { deleteLimit } from "../meters/delete.ts";
import { sharesExtra } from "../meters/show.ts";
import { recount } from "../recount/recount.ts";
import { type MeterRow, saveMeterRow, toMeter } from "../meters/store.ts";
import { customerLimitNow, loadCustomerLimit, toCustomerLimit } from "./store.ts";

/** One customer has at most one limit per period. */
function hasOther(tx: Tx, row: Pick<MeterRow, "id" | "scope_id" | "period">): boolean {
  return (
    tx.sql
      .exec(
        `SELECT 1 FROM meters WHERE scope_kind = 'customer' AND scope_id = ? AND kind = 'customer_limit'
           AND period = ? AND id <> ?`,
        row.scope_id,
        row.period,
        row.id,
      )
      .toArray().length > 0
  );
}

const TAKEN = "This customer already has a limit for this period.";

export const createCustomerLimit = command({
  action: "customer_limit.created",
  changesLimits: true,
  refuses: ["conflict"],
  run(tx, input: NewCustomerLimit) {
    const row: MeterRow = {
      id: newId(METERS.customer_limit.idPrefix, tx.now),
      kind: "customer_limit",
      scope_kind: METERS.customer_limit.scope,
      scope_id: input.customer_id,
      amount: String(parseUsd(input.limit_usd) ?? 0n),
      period: input.period,
      time_zone: null,
      mode: "enforce",
      since: tx.now,
      extra: sharesExtra(input.alert_thresholds),
    };
    if (hasOther(tx, row)) return refuse("conflict", {}, { message: TAKEN });
    saveMeterRow(tx.sql, row);
    return done(201, toCustomerLimit(tx, row), { target: row.id, detail: { ...input } });
  },
});

export const changeCustomerLimit = command({
  action: "customer_limit.updated",
  changesLimits: true,
  refuses: ["not_found", "conflict"],
  current: customerLimitNow,
  run(tx, input: CustomerLimitChange & { id: string }) {
    const before = loadCustomerLimit(tx, input.id);
    if (before === null) return refuse("not_found");
    const row: MeterRow = {
      ...before,
      amount: input.limit_usd === undefined ? before.amount : String(parseUsd(input.limit_usd) ?? 0n),
      period: input.period ?? before.period,
      extra: input.alert_thresholds === undefined ? before.extra : sharesExtra(input.alert_thresholds),
    };
    if (hasOther(tx, row)) return refuse("conflict", {}, { message: TAKEN });
    saveMeterRow(tx.sql, row);
    if (row.period !== before.period) recount(tx, toMeter(row, tx.now));
    const { id, ...detail } = input;
    return done(200, toCustomerLimit(tx, row), { target: id, detail });
  },
});

export const deleteCustomerLimit = deleteLimit("customer_limit.deleted", customerLimitNow, ({ id }) => id);
