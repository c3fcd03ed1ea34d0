import { spendCapNow } from "./store.ts";
import { readOne } from "../kernel/resource.ts";

export const getSpendCap = readOne(spendCapNow);
