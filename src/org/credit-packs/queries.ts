import type { MeterRow } from "../meters/store.ts";
import { creditPackNow, toCreditPack } from "./show.ts";
import { readList, readOne } from "../kernel/resource.ts";

export const getCreditPack = readOne(creditPackNow);

export const listCreditPacks = readList((view) => ({
  table: "meters",
  where: { sql: "kind = ?", bindings: ["credit_pack"] },
  sort: { created_at: "since" },
  found: ["customer_id"],
  filters: { customer_id: "scope_kind = 'customer' AND scope_id = ?" },
  toItem: (row: MeterRow) => toCreditPack(view, row),
}));
