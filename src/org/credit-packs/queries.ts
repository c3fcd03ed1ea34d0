import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { listRows } from "../../storage/list-rows.ts";
import type { MeterRow } from "../meters/store.ts";
import { creditPackNow, toCreditPack } from "./show.ts";

export const getCreditPack = query({
  refuses: ["not_found"],
  run: (view, input: { id: string }) => creditPackNow(view, input) ?? refuse("not_found"),
});

export const listCreditPacks = query({
  refuses: [],
  run: (view, input: ListQuery) =>
    listRows(
      view.sql,
      {
        table: "meters",
        where: { sql: "kind = ?", bindings: ["credit_pack"] },
        sort: { created_at: "since" },
        found: ["customer_id"],
        filters: { customer_id: "scope_kind = 'customer' AND scope_id = ?" },
        toItem: (row: MeterRow) => toCreditPack(view, row),
      },
      input,
    ),
});
