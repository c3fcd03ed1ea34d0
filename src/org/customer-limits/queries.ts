import type { MeterRow } from "../meters/store.ts";
import { customerLimitNow, toCustomerLimit } from "./store.ts";
import { readList, readOne } from "../kernel/resource.ts";

export const getCustomerLimit = readOne(customerLimitNow);

export const listCustomerLimits = readList((view) => ({
  table: "meters",
  where: { sql: "kind = ?", bindings: ["customer_limit"] },
  sort: { created_at: "since" },
  found: ["customer_id"],
  filters: { customer_id: "scope_kind = 'customer' AND scope_id = ?", period: "period = ?" },
  toItem: (row: MeterRow) => toCustomerLimit(view, row),
}));
