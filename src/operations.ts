import { deleteDigest } from "./api/digests/delete.ts";
import { getDigest } from "./api/digests/get.ts";
import { listDigests } from "./api/digests/list.ts";
import { previewDigest } from "./api/digests/preview.ts";
import { putDigest } from "./api/digests/put.ts";
import { getUnusualSettings } from "./api/unusual-spend/get.ts";
import { putUnusualSettings } from "./api/unusual-spend/put.ts";
import { listUnusual } from "./api/usage/unusual.ts";
import { adjustRun } from "./api/adjustments/create.ts";
import { listAdjustments } from "./api/adjustments/list.ts";
import { createCohort } from "./api/admin-benchmarks/create.ts";
import { setCohortMembers } from "./api/admin-benchmarks/set-members.ts";
import { advanceTestClock } from "./api/admin-orgs/advance-test-clock.ts";
import { changeAdminOrg } from "./api/admin-orgs/change.ts";
import { createOrg } from "./api/admin-orgs/create.ts";
import { backupOrg } from "./api/admin-orgs/backup.ts";
import { moveOrg } from "./api/admin-orgs/move.ts";
import { undoMove } from "./api/admin-orgs/undo-move.ts";
import { importOrg } from "./api/admin-orgs/import.ts";
import { restoreOrg } from "./api/admin-orgs/restore.ts";
import { getAdminOrg } from "./api/admin-orgs/get.ts";
import { listAdminOrgs } from "./api/admin-orgs/list.ts";
import { resumeOrg } from "./api/admin-orgs/resume.ts";
import { suspendOrg } from "./api/admin-orgs/suspend.ts";
import { listPepperLeft } from "./api/admin-pepper/list.ts";
import { getOverview } from "./api/admin-overview/get.ts";
import { approveAttempt } from "./api/approvals/approve.ts";
import { denyAttempt } from "./api/approvals/deny.ts";
import { getApproval } from "./api/approvals/get.ts";
import { listApprovals } from "./api/approvals/list.ts";
import { exportAuditLog } from "./api/audit-log/export.ts";
import { listAuditLog } from "./api/audit-log/list.ts";
import { verifyAuditLog } from "./api/audit-log/verify.ts";
import { getBenchmarkProfile } from "./api/benchmarks/get-profile.ts";
import { getCohort } from "./api/benchmarks/get.ts";
import { listCohorts } from "./api/benchmarks/list.ts";
import { setBenchmarkProfile } from "./api/benchmarks/set-profile.ts";
import { changeBudget } from "./api/budgets/change.ts";
import { createBudget } from "./api/budgets/create.ts";
import { deleteBudget } from "./api/budgets/delete.ts";
import { getBudget } from "./api/budgets/get.ts";
import { listBudgetGroups } from "./api/budgets/list-groups.ts";
import { listBudgets } from "./api/budgets/list.ts";
import { createIncrease } from "./api/budget-increases/create.ts";
import { getIncrease } from "./api/budget-increases/get.ts";
import { listIncreases } from "./api/budget-increases/list.ts";
import { revokeIncrease } from "./api/budget-increases/revoke.ts";
import { deleteChainBudget } from "./api/chain-budget/delete.ts";
import { getChainBudget } from "./api/chain-budget/get.ts";
import { setChainBudget } from "./api/chain-budget/set.ts";
import { evaluateSafety } from "./api/content-safety/evaluate.ts";
import { getContentSafety } from "./api/content-safety/get.ts";
import { setContentSafety } from "./api/content-safety/set.ts";
import { createCreditPack } from "./api/credit-packs/create.ts";
import { getCreditPack } from "./api/credit-packs/get.ts";
import { listCreditPacks } from "./api/credit-packs/list.ts";
import { voidCreditPack } from "./api/credit-packs/void.ts";
import { changeCustomerLimit } from "./api/customer-limits/change.ts";
import { createCustomerLimit } from "./api/customer-limits/create.ts";
import { deleteCustomerLimit } from "./api/customer-limits/delete.ts";
import { getCustomerLimit } from "./api/customer-limits/get.ts";
import { listCustomerLimits } from "./api/customer-limits/list.ts";
import { decide } from "./api/decisions/decide.ts";
import { decideMany } from "./api/decisions/decide-many.ts";
import { releaseReservation } from "./api/decisions/release.ts";
import { renewReservation } from "./api/decisions/renew.ts";
import { exchangeLeases } from "./api/edge-leases/exchange.ts";
import { listDeprecatedCalls } from "./api/deprecated-calls/list.ts";
import { flagDeprecation } from "./api/deprecations/flag.ts";
import { listDeprecations } from "./api/deprecations/list.ts";
import { checkExtAuthz } from "./api/ext-authz/check.ts";
import { checkGuardrail } from "./api/guardrail/check.ts";
import { listEvents } from "./api/events/list.ts";
import { explainCall } from "./api/explain/explain.ts";
import { forecastCapacity } from "./api/forecasts/capacity.ts";
import { forecastLinear } from "./api/forecasts/linear.ts";
import { getKey } from "./api/keys/get.ts";
import { listKeys } from "./api/keys/list.ts";
import { mintKey } from "./api/keys/mint.ts";
import { revokeKey } from "./api/keys/revoke.ts";
import { rotateKey } from "./api/keys/rotate.ts";
import { listErrors } from "./api/meta/errors.ts";
import { describeApi } from "./api/meta/openapi.ts";
import { deleteModel } from "./api/models/delete.ts";
import { getModel } from "./api/models/get.ts";
import { listModels } from "./api/models/list.ts";
import { listPrices } from "./api/models/prices.ts";
import { setModel } from "./api/models/set.ts";
import { getOrgMetrics } from "./api/org-metrics/get.ts";
import { changeOrg } from "./api/orgs/change.ts";
import { getOrg } from "./api/orgs/get.ts";
import { getPlan } from "./api/plans/get.ts";
import { listPlans } from "./api/plans/list.ts";
import { setPlan } from "./api/plans/set.ts";
import { changePolicyRule } from "./api/policy-rules/change.ts";
import { createPolicyRule } from "./api/policy-rules/create.ts";
import { deletePolicyRule } from "./api/policy-rules/delete.ts";
import { evaluatePolicies } from "./api/policy-rules/evaluate.ts";
import { getPolicyRule } from "./api/policy-rules/get.ts";
import { listPolicyRules } from "./api/policy-rules/list.ts";
import { getPriceBook } from "./api/price-book/get.ts";
import { setPriceBook } from "./api/price-book/set.ts";
import { resolvePrice } from "./api/prices/resolve.ts";
import { deleteQuota } from "./api/quota/delete.ts";
import { getQuota } from "./api/quota/get.ts";
import { setQuota } from "./api/quota/set.ts";
import { topUpQuota } from "./api/quota/top-up.ts";
import { getOwnRateLimits } from "./api/rate-limits/get-own.ts";
import { getRateLimits } from "./api/rate-limits/get.ts";
import { setRateLimits } from "./api/rate-limits/set.ts";
import { listRefusals } from "./api/refusals/list.ts";
import { summarizeRefusals } from "./api/refusals/summary.ts";
import { getResidency } from "./api/residency/get.ts";
import { setResidency } from "./api/residency/set.ts";
import { getRetentionPolicy } from "./api/retention-policy/get.ts";
import { setRetentionPolicy } from "./api/retention-policy/set.ts";
import { getRoutingPolicy } from "./api/routing/get-policy.ts";
import { listEvals } from "./api/routing/list-evals.ts";
import { recordEval } from "./api/routing/record-eval.ts";
import { selectModel } from "./api/routing/select.ts";
import { setRoutingPolicy } from "./api/routing/set-policy.ts";
import { exportRuns } from "./api/runs/export.ts";
import { getRun } from "./api/runs/get.ts";
import { listRuns } from "./api/runs/list.ts";
import { recordRuns } from "./api/runs/record-bulk.ts";
import { recordRun } from "./api/runs/record.ts";
import { listLimits } from "./api/limits/list.ts";
import { listUsageNames } from "./api/usage/names.ts";
import { topUsage } from "./api/usage/top.ts";
import { createConsoleLink } from "./api/console-links/create.ts";
import { listSessions } from "./api/sessions/list.ts";
import { getOwnSession } from "./api/sessions/own.ts";
import { revokeSession } from "./api/sessions/revoke.ts";
import { deleteSpendCap } from "./api/spend-cap/delete.ts";
import { getSpendCap } from "./api/spend-cap/get.ts";
import { setSpendCap } from "./api/spend-cap/set.ts";
import { getSso } from "./api/sso/get.ts";
import { putSso } from "./api/sso/put.ts";
import { closeSupportGrant } from "./api/support/close-grant.ts";
import { listSupportGrants } from "./api/support/list-grants.ts";
import { openSupportGrant } from "./api/support/open-grant.ts";
import { openSupportSession } from "./api/support/open-session.ts";
import { getSupportPresence } from "./api/support/presence.ts";
import { deleteExport } from "./api/exports/delete.ts";
import { getExport } from "./api/exports/get.ts";
import { listExports } from "./api/exports/list.ts";
import { putExport } from "./api/exports/put.ts";
import { findFallbacks } from "./api/edge-fallbacks/find.ts";
import { deleteFallback } from "./api/fallbacks/delete.ts";
import { getFallback } from "./api/fallbacks/get.ts";
import { listFallbacks } from "./api/fallbacks/list.ts";
import { putFallback } from "./api/fallbacks/put.ts";
import { deleteProviderKey } from "./api/provider-keys/delete.ts";
import { getProviderKey } from "./api/provider-keys/get.ts";
import { listProviderKeys } from "./api/provider-keys/list.ts";
import { putProviderKey } from "./api/provider-keys/put.ts";
import { listExportWindows } from "./api/exports/windows.ts";
import { getUsage } from "./api/usage/get.ts";
import { reportUsage } from "./api/usage/report.ts";
import { getCustomer } from "./api/customers/get.ts";
import { listCustomers } from "./api/customers/list.ts";
import { mintCustomerToken } from "./api/customers/mint-token.ts";
import { setCustomer } from "./api/customers/set.ts";
import { getOwnCustomer } from "./api/customers/own.ts";
import { reportOwnUsage } from "./api/customers/own-usage.ts";
import { getWebhookSecret } from "./api/webhook-secret/get.ts";
import { rotateWebhookSecret } from "./api/webhook-secret/rotate.ts";
import { changeWebhook } from "./api/webhooks/change.ts";
import { createWebhook } from "./api/webhooks/create.ts";
import { deleteWebhook } from "./api/webhooks/delete.ts";
import { getSigning } from "./api/webhooks/get-signing.ts";
import { getWebhook } from "./api/webhooks/get.ts";
import { listDeliveries } from "./api/webhooks/list-deliveries.ts";
import { listWebhooks } from "./api/webhooks/list.ts";
import { recoverDeliveries } from "./api/webhooks/recover.ts";
import { replayDelivery } from "./api/webhooks/replay-delivery.ts";
import { rotateSigning } from "./api/webhooks/rotate-signing.ts";
import { testWebhook } from "./api/webhooks/test.ts";
import { type OperationContract, routeOf } from "./contract/operation.ts";
import { withConditions } from "./edge/request/dry-run.ts";
import type { Operation } from "./edge/request/operation-types.ts";

const SERVED: readonly Operation[] = [
  createOrg,
  listAdminOrgs,
  backupOrg,
  importOrg,
  moveOrg,
  undoMove,
  restoreOrg,
  getOverview,
  listPepperLeft,
  getAdminOrg,
  changeAdminOrg,
  suspendOrg,
  resumeOrg,
  advanceTestClock,
  getRateLimits,
  setRateLimits(isOperation),
  getOwnRateLimits,
  getOrg,
  changeOrg,
  mintKey,
  listKeys,
  getKey,
  revokeKey,
  rotateKey,
  getResidency,
  createCohort,
  setCohortMembers,
  getBenchmarkProfile,
  setBenchmarkProfile,
  listCohorts,
  getCohort,
  forecastLinear,
  forecastCapacity,
  setResidency,
  recordRun,
  recordRuns,
  listRuns,
  exportRuns,
  getRun,
  adjustRun,
  listAdjustments,
  listRefusals,
  summarizeRefusals,
  explainCall,
  createBudget,
  listBudgets,
  getBudget,
  changeBudget,
  deleteBudget,
  listBudgetGroups,
  createIncrease,
  listIncreases,
  getIncrease,
  revokeIncrease,
  getSpendCap,
  setSpendCap,
  deleteSpendCap,
  createCustomerLimit,
  listCustomerLimits,
  getCustomerLimit,
  changeCustomerLimit,
  deleteCustomerLimit,
  createCreditPack,
  listCreditPacks,
  getCreditPack,
  voidCreditPack,
  getQuota,
  setQuota,
  deleteQuota,
  topUpQuota,
  getPlan,
  listPlans,
  setPlan,
  getChainBudget,
  setChainBudget,
  deleteChainBudget,
  getModel,
  listModels,
  setModel,
  deleteModel,
  listPrices,
  resolvePrice,
  getPriceBook,
  setPriceBook,
  decide,
  decideMany,
  renewReservation,
  releaseReservation,
  exchangeLeases,
  checkExtAuthz,
  checkGuardrail,
  createWebhook,
  listWebhooks,
  getWebhook,
  changeWebhook,
  deleteWebhook,
  getSigning,
  rotateSigning,
  getWebhookSecret,
  rotateWebhookSecret,
  testWebhook,
  listDeliveries,
  replayDelivery,
  recoverDeliveries,
  listEvents,
  listErrors,
  listDeprecations,
  flagDeprecation(isOperation),
  describeApi(() => CONTRACTS),
  createPolicyRule,
  listPolicyRules,
  evaluatePolicies,
  getPolicyRule,
  changePolicyRule,
  deletePolicyRule,
  listApprovals,
  getApproval,
  approveAttempt,
  denyAttempt,
  getContentSafety,
  setContentSafety,
  evaluateSafety,
  listAuditLog,
  exportAuditLog,
  verifyAuditLog,
  getRoutingPolicy,
  setRoutingPolicy,
  recordEval,
  listEvals,
  selectModel,
  getRetentionPolicy,
  setRetentionPolicy,
  getUsage,
  getOrgMetrics,
  reportUsage,
  listCustomers,
  getCustomer,
  setCustomer,
  mintCustomerToken,
  getOwnCustomer,
  reportOwnUsage,
  listFallbacks,
  putFallback,
  getFallback,
  deleteFallback,
  findFallbacks,
  listProviderKeys,
  putProviderKey,
  getProviderKey,
  deleteProviderKey,
  listExports,
  putExport,
  getExport,
  deleteExport,
  listExportWindows,
  listDeprecatedCalls,
  getSso,
  putSso,
  listLimits,
  topUsage,
  listUsageNames,
  putDigest,
  getDigest,
  listDigests,
  deleteDigest,
  previewDigest,
  listUnusual,
  getUnusualSettings,
  putUnusualSettings,
  createConsoleLink,
  listSessions,
  revokeSession,
  getOwnSession,
  openSupportGrant,
  listSupportGrants,
  closeSupportGrant,
  openSupportSession,
  getSupportPresence,
];

/** Every operation of the API. */
export const OPERATIONS: readonly Operation[] = SERVED.map(withConditions);

export const CONTRACTS: readonly OperationContract[] = OPERATIONS.map((operation) => operation.contract);

/** Returns whether an operation has this name, such as `GET /v1/orgs/{id}`. */
export function isOperation(name: string): boolean {
  return CONTRACTS.some((contract) => routeOf(contract) === name);
}
