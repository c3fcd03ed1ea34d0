import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { listRows } from "../../storage/list-rows.ts";
import type { MeterRow } from "../meters/store.ts";
import { customerLimitNow, toCustomerLimit } from "./store.ts";

export const getCustomerLimit = query({
  refuses: ["not_found"],
  run: (view, input: { id: string }) => customerLimitNow(view, input) ?? refuse("not_found"),
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
        found: ["customer_id"],
        filters: { customer_id: "scope_kind = 'customer' AND scope_id = ?", period: "period = ?" },
        toItem: (row: MeterRow) => toCustomerLimit(view, row),
      },
      input,
    ),
});
