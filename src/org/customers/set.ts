import { refuse } from "../../contract/refusal.ts";
import type { NewCustomer } from "../../contract/resources/customers.ts";
import { formatUsd, parseUsd } from "../../domain/price/money.ts";
import { monthToDate } from "../../domain/price/revenue.ts";
import { countRows, saveRow } from "../../storage/rows.ts";
import { checkpoint } from "../../storage/transaction.ts";
import { command, done, query } from "../kernel/door.ts";
import { isCustomer, standingOf } from "./standing.ts";
import { type CustomerRow, loadCustomer, revenueRows, showRevenue } from "./store.ts";

/** As many as a report can have. */
const MOST_SET = 50_000;

type SetCustomer = NewCustomer & { readonly customerId: string };

export const setCustomer = command({
  action: "customer.set",
  refuses: ["conflict"],
  current(view, { customerId }: SetCustomer) {
    const row = loadCustomer(view.sql, customerId);
    if (row === null && !isCustomer(checkpoint(view.sql), customerId)) return null;
    return { customer_id: customerId, name: row?.name ?? null, revenue: showRevenue(row) };
  },
  run(tx, { customerId, name, revenue }: SetCustomer) {
    const isNew = loadCustomer(tx.sql, customerId) === null;
    if (isNew && countRows(tx.sql, "customers") >= MOST_SET) {
      const message = `At most ${MOST_SET} customers can have a name or revenue.`;
      return refuse("conflict", {}, { message });
    }
    save(tx.sql, {
      customer_id: customerId,
      name: name ?? null,
      usd_per_month: revenue?.usd_per_month === undefined ? null : amount(revenue.usd_per_month),
      markup: revenue?.markup === undefined ? null : amount(revenue.markup).replace(/\.?0+$/, ""),
    });
    const body = standingOf(tx, customerId, monthToDate(tx.now));
    // Viewers read the audit trail, and may not know the amounts.
    const revenue_set = body.revenue !== null;
    return done(200, body, { target: customerId, detail: { name: body.name, revenue_set } });
  },
});

const amount = (text: string) => formatUsd(parseUsd(text) ?? 0n);

function save(sql: SqlStorage, row: CustomerRow): void {
  const { customer_id: id, name, usd_per_month: perMonth, markup } = row;
  if (name === null && perMonth === null && markup === null) {
    sql.exec("DELETE FROM customers WHERE customer_id = ?", id);
    return;
  }
  saveRow(sql, "customers", row);
}

/** Lists what each customer pays, or one: those of whom it is set. */
export const listRevenues = query({
  refuses: [],
  run({ sql }, { customerId }: { customerId: string | null }) {
    return { revenues: revenueRows(sql, customerId) };
  },
});
