import { getApproval, listApprovals } from "./approvals/read.ts";
import { listEvents } from "./events/log.ts";
import { benchmarkFigures } from "./benchmarks/figures.ts";
import { getBenchmarkProfile } from "./benchmarks/profile.ts";
import { budgetedScopes, deploymentReturn, forecastInputs } from "./forecasts/inputs.ts";
import { getKey, listKeys } from "./keys/list.ts";
import { evaluatePolicies, getPolicyRule, listPolicyRules } from "./policy-rules/read.ts";
import { getOrg } from "./orgs/change.ts";
import { getRateLimits } from "./rate-limits/set.ts";
import { getResidency } from "./residency/rule.ts";
import { getRun, listRuns } from "./runs/list.ts";
import { getContentSafety } from "./content-safety/config.ts";
import { getBudget, listBudgets } from "./budgets/commands.ts";
import { getChainBudget } from "./chain-budget/commands.ts";
import { getCreditPack, listCreditPacks } from "./credit-packs/commands.ts";
import { getCustomerLimit, listCustomerLimits } from "./customer-limits/commands.ts";
import { getModel, listModels } from "./models/commands.ts";
import { getPlan } from "./plans/commands.ts";
import { getQuota } from "./quota/commands.ts";
import { getSpendCap } from "./spend-cap/commands.ts";
import { getWebhook, listWebhooks } from "./webhooks/change.ts";
import { listDeliveries } from "./webhooks/log.ts";
import { getOrgWebhookSecret, getSigning } from "./webhooks/signing.ts";
import { auditPage } from "./audit-log/read.ts";
import { verifyAuditStep } from "./audit-log/verify.ts";
import { getRetentionPolicy } from "./retention-policy/policy.ts";
import { listEvals } from "./routing/evals.ts";
import { getRoutingPolicy } from "./routing/policy.ts";
import { selectModel } from "./routing/select.ts";
import { listSessions } from "./people/session.ts";
import { getSso, ssoSettings } from "./people/sso.ts";
import { listSupportGrants, supportInside } from "./support/grant.ts";
import { listDeprecatedCalls } from "./deprecated-calls/note.ts";
import { readUsage } from "./usage/read.ts";

/** Every question that an org's object answers, by the name that callers of the object use. */
export const QUERIES = {
  getOrg,
  listKeys,
  getKey,
  getResidency,
  getRateLimits,
  forecastInputs,
  budgetedScopes,
  getBenchmarkProfile,
  benchmarkFigures,
  deploymentReturn,
  listRuns,
  getRun,
  listPolicyRules,
  getPolicyRule,
  evaluatePolicies,
  listApprovals,
  getApproval,
  getContentSafety,
  getRoutingPolicy,
  listEvals,
  selectModel,
  getBudget,
  listBudgets,
  getSpendCap,
  getCustomerLimit,
  listCustomerLimits,
  getCreditPack,
  listCreditPacks,
  getQuota,
  getChainBudget,
  getModel,
  listModels,
  getPlan,
  listEvents,
  listWebhooks,
  getWebhook,
  getSigning,
  getOrgWebhookSecret,
  listDeliveries,
  getRetentionPolicy,
  auditPage,
  verifyAuditStep,
  listSessions,
  listDeprecatedCalls,
  readUsage,
  getSso,
  ssoSettings,
  listSupportGrants,
  supportInside,
} as const;
