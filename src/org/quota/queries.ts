import { quotaNow } from "./store.ts";
import { readOne } from "../kernel/resource.ts";

export const getQuota = readOne(quotaNow);
