import { getKey, listKeys } from "./keys/list.ts";
import { getOrg } from "./profile/change.ts";
import { getResidency } from "./residency/rule.ts";
import { getRun, listRuns } from "./runs/list.ts";

/** Every question that an org's object answers, by the name that callers of the object use. */
export const QUERIES = {
  getOrg,
  listKeys,
  getKey,
  getResidency,
  listRuns,
  getRun,
} as const;
