import { getKey, listKeys } from "./keys/list.ts";
import { getOrg } from "./profile/change.ts";

/** Every question that an org's object answers, by the name that callers of the object use. */
export const QUERIES = { getOrg, listKeys, getKey } as const;
