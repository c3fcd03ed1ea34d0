export type CustomerRow = {
  customer_id: string;
  name: string | null;
  usd_per_month: string | null;
  markup: string | null;
};

/** Returns what was set of a customer. Null if nothing was. */
export function loadCustomer(sql: SqlStorage, id: string): CustomerRow | null {
  return sql.exec<CustomerRow>("SELECT * FROM customers WHERE customer_id = ?", id).toArray()[0] ?? null;
}

/** As the API shows it. Null: nobody has set what the customer pays. */
export function shownRevenue(row: CustomerRow | null) {
  if (row === null || (row.usd_per_month === null && row.markup === null)) return null;
  return { usd_per_month: row.usd_per_month, markup: row.markup };
}
