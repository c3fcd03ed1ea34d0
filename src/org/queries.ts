import { getKey, listKeys } from "./keys/list.ts";
import { getOrg } from "./profile/change.ts";
import { getResidency } from "./residency/rule.ts";

/** Every question that an org's object answers, by the name that callers of the object use. */
export const QUERIES = { getOrg, listKeys, getKey, getResidency } as const;
