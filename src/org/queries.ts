import { getApproval, listApprovals } from "./approvals/read.ts";
import { getKey, listKeys } from "./keys/list.ts";
import { evaluatePolicies, getPolicyRule, listPolicyRules } from "./policies/read.ts";
import { getOrg } from "./profile/change.ts";
import { getResidency } from "./residency/rule.ts";
import { getRun, listRuns } from "./runs/list.ts";
import { getContentSafety } from "./safety/config.ts";

/** Every question that an org's object answers, by the name that callers of the object use. */
export const QUERIES = {
  getOrg,
  listKeys,
  getKey,
  getResidency,
  listRuns,
  getRun,
  listPolicyRules,
  getPolicyRule,
  evaluatePolicies,
  listApprovals,
  getApproval,
  getContentSafety,
} as const;
