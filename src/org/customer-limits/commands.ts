import type { ListQuery } from "../../contract/list.ts";
import type {
  CustomerLimit,
  CustomerLimitChange,
  NewCustomerLimit,
} from "../../contract/resources/customer-limits.ts";
import { METERS } from "../../contract/meter-kinds.ts";
import { refuse } from "../../contract/refusal.ts";
import { publishedPeriod } from "../../domain/kinds.ts";
import { countsApart } from "../../domain/meter.ts";
import { formatUsd, parseUsd } from "../../domain/money.ts";
import { newId } from "../../domain/ulid.ts";
import { command, done, query, type Tx, type View } from "../kernel/door.ts";
import { recount } from "../recount/recount.ts";
import { amountsOf, entryNow } from "../meters/show.ts";
import { deleteMeter, loadMeterRow, type MeterRow, saveMeterRow, toMeter } from "../meters/store.ts";
import { listRows } from "../kernel/rows.ts";

/** The row for all customers counts each of them apart: it has no amounts of its own. */
function toCustomerLimit(view: View, row: MeterRow): CustomerLimit {
  const entry = entryNow(view, row);
  const none = { spent_usd: null, reserved_usd: null, available_usd: null };
  return {
    id: row.id,
    customer_id: row.scope_id,
    limit_usd: formatUsd(BigInt(row.amount ?? 0)),
    period: row.period,
    ...(countsApart(entry.meter) ? none : amountsOf(entry)),
    ...publishedPeriod(entry),
    created_at: new Date(row.since).toISOString(),
  };
}

const load = (view: View, id: string) => loadMeterRow(view.sql, id, "customer_limit");

const current = (view: View, input: { id: string }) => {
  const row = load(view, input.id);
  return row === null ? null : toCustomerLimit(view, row);
};

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
      extra: "{}",
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
  current,
  run(tx, input: CustomerLimitChange & { id: string }) {
    const before = load(tx, input.id);
    if (before === null) return refuse("not_found");
    const row: MeterRow = {
      ...before,
      amount: input.limit_usd === undefined ? before.amount : String(parseUsd(input.limit_usd) ?? 0n),
      period: input.period ?? before.period,
    };
    if (hasOther(tx, row)) return refuse("conflict", {}, { message: TAKEN });
    saveMeterRow(tx.sql, row);
    if (row.period !== before.period) recount(tx, toMeter(row));
    const { id, ...detail } = input;
    return done(200, toCustomerLimit(tx, row), { target: id, detail });
  },
});

export const deleteCustomerLimit = command({
  action: "customer_limit.deleted",
  changesLimits: true,
  refuses: ["not_found"],
  current,
  run(tx, input: { id: string }) {
    if (load(tx, input.id) === null) return refuse("not_found");
    deleteMeter(tx.sql, input.id);
    return done(204, null, { target: input.id });
  },
});

export const getCustomerLimit = query({
  refuses: ["not_found"],
  run: (view, input: { id: string }) => current(view, input) ?? refuse("not_found"),
});

export const listCustomerLimits = query({
  refuses: [],
  run: (view, input: ListQuery) =>
    listRows(
      view.sql,
      {
        table: "meters",
        where: { sql: "kind = ?", bindings: ["customer_limit"] },
        sort: { created_at: "since" },
        filters: { customer_id: "scope_id = ?", period: "period = ?" },
        toItem: (row: MeterRow) => toCustomerLimit(view, row),
      },
      input,
    ),
});
