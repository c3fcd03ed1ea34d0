import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { quotaNow } from "./store.ts";

export const getQuota = query({
  refuses: ["not_found"],
  run: (view) => quotaNow(view) ?? refuse("not_found"),
});
