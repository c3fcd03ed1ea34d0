import { getUnusualSettings, subjectDays } from "./unusual/queries.ts";
import { pepperLeft } from "./peppers/queries.ts";
import { getExport, listExports, listExportWindows } from "./exports/queries.ts";
import { findFallbacks, getFallback, listFallbacks } from "./fallbacks/queries.ts";
import { getProviderKey, listProviderKeys, openProviderKey } from "./provider-keys/queries.ts";
import { admitCustomer, getCustomer, listCustomers, listRevenues } from "./customers/queries.ts";
import { adjustmentsMade, listAdjustments } from "./adjustments/queries.ts";
import { backupPart, backupRuns, checkBackup } from "./backup/queries.ts";
import { getApproval, listApprovals } from "./approvals/queries.ts";
import { auditPage, verifyAuditStep } from "./audit-log/queries.ts";
import { benchmarkFigures, getBenchmarkProfile } from "./benchmarks/queries.ts";
import { getBudget, getIncrease, listBudgetGroups, listBudgets, listIncreases } from "./budgets/queries.ts";
import { getChainBudget } from "./chain-budget/queries.ts";
import { evaluateSafety, getContentSafety } from "./content-safety/queries.ts";
import { getCreditPack, listCreditPacks } from "./credit-packs/queries.ts";
import { getCustomerLimit, listCustomerLimits } from "./customer-limits/queries.ts";
import { listDeprecatedCalls } from "./deprecated-calls/queries.ts";
import { listEvents } from "./events/queries.ts";
import { budgetedScopes, deploymentReturn, forecastInputs, scopeDays } from "./forecasts/queries.ts";
import { getKey, listKeys } from "./keys/queries.ts";
import { getModel, listModels, listPrices, resolvePrice } from "./models/queries.ts";
import { listLimits } from "./limits/queries.ts";
import { readLimits } from "./limit-gauges/queries.ts";
import { getOrg } from "./orgs/queries.ts";
import { getSso, listSessions, ssoSettings } from "./people/queries.ts";
import { getPlan } from "./plans/queries.ts";
import { evaluatePolicies, getPolicyRule, listPolicyRules } from "./policy-rules/queries.ts";
import { getQuota } from "./quota/queries.ts";
import { getRateLimits, rateLimitsInUse } from "./rate-limits/queries.ts";
import { getResidency } from "./residency/queries.ts";
import { getRetentionPolicy } from "./retention-policy/queries.ts";
import { getRoutingPolicy, listEvals, selectModel } from "./routing/queries.ts";
import { getRun, listRuns } from "./runs/queries.ts";
import { getSpendCap } from "./spend-cap/queries.ts";
import { listSupportGrants, supportInside } from "./support/queries.ts";
import { readUsage, sumUsage, topUsage } from "./usage/queries.ts";
import {
  getOrgWebhookSecret,
  getSigning,
  getWebhook,
  getDelivery,
  listDeliveries,
  listWebhooks,
} from "./webhooks/queries.ts";
import { listRefusals, summarizeRefusals } from "./refusals/queries.ts";

/** Every query of an org's object, by the name that callers use. */
export const QUERIES = {
  listLimits,
  scopeDays,
  topUsage,
  getOrg,
  listKeys,
  getKey,
  getResidency,
  getRateLimits,
  rateLimitsInUse,
  forecastInputs,
  budgetedScopes,
  getBenchmarkProfile,
  benchmarkFigures,
  deploymentReturn,
  listRuns,
  getRun,
  listAdjustments,
  adjustmentsMade,
  listPolicyRules,
  getPolicyRule,
  evaluatePolicies,
  listApprovals,
  getApproval,
  getContentSafety,
  evaluateSafety,
  getRoutingPolicy,
  listEvals,
  selectModel,
  getBudget,
  listBudgets,
  listBudgetGroups,
  listIncreases,
  getIncrease,
  getSpendCap,
  getCustomerLimit,
  listCustomerLimits,
  getCreditPack,
  listCreditPacks,
  getQuota,
  getChainBudget,
  getModel,
  listModels,
  listPrices,
  resolvePrice,
  getPlan,
  listEvents,
  listWebhooks,
  getWebhook,
  getSigning,
  getOrgWebhookSecret,
  getUnusualSettings,
  subjectDays,
  getDelivery,
  listDeliveries,
  getRetentionPolicy,
  auditPage,
  verifyAuditStep,
  listSessions,
  listDeprecatedCalls,
  readUsage,
  sumUsage,
  listRefusals,
  summarizeRefusals,
  getSso,
  ssoSettings,
  listSupportGrants,
  supportInside,
  listCustomers,
  getCustomer,
  listRevenues,
  admitCustomer,
  getExport,
  listExports,
  findFallbacks,
  getFallback,
  listFallbacks,
  getProviderKey,
  listProviderKeys,
  openProviderKey,
  listExportWindows,
  readLimits,
  backupPart,
  backupRuns,
  checkBackup,
  pepperLeft,
} as const;
