import { readInParts } from "../../storage/json-rows.ts";
import { type Revenue, toRevenue } from "../../domain/price/revenue.ts";

export type CustomerRow = {
  customer_id: string;
  name: string | null;
  usd_per_month: string | null;
  markup: string | null;
};

/** Returns what was set of a customer. Null if nothing was. */
export function loadCustomer(sql: SqlStorage, id: string): CustomerRow | null {
  return loadCustomers(sql, [id]).get(id) ?? null;
}

/** Returns what was set of each of these customers of whom anything was. */
export function loadCustomers(sql: SqlStorage, ids: readonly string[]): ReadonlyMap<string, CustomerRow> {
  const rows = readInParts(ids, (json) =>
    sql.exec<CustomerRow>(
      "SELECT * FROM customers WHERE customer_id IN (SELECT value FROM json_each(?))",
      json,
    ),
  );
  return new Map(rows.map((row) => [row.customer_id, row]));
}

/** As the API shows it. Null: nobody has set what the customer pays. */
export function showRevenue(row: CustomerRow | null) {
  if (row === null || (row.usd_per_month === null && row.markup === null)) return null;
  return { usd_per_month: row.usd_per_month, markup: row.markup };
}

type RevenueRow = Omit<CustomerRow, "name">;

/** The amounts that each customer pays, or one customer: only of those for whom they are set. As it is stored. */
export function revenueRows(sql: SqlStorage, customerId: string | null): RevenueRow[] {
  return sql
    .exec<RevenueRow>(
      `SELECT customer_id, usd_per_month, markup FROM customers WHERE (usd_per_month IS NOT NULL OR markup IS NOT NULL)
         AND (?1 IS NULL OR customer_id = ?1)`,
      customerId,
    )
    .toArray();
}

export function readRevenues(sql: SqlStorage): ReadonlyMap<string, Revenue> {
  return new Map(revenueRows(sql, null).map((row) => [row.customer_id, toRevenue(row)]));
}
