import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { spendCapNow } from "./store.ts";

export const getSpendCap = query({
  refuses: ["not_found"],
  run: (view) => spendCapNow(view) ?? refuse("not_found"),
});
