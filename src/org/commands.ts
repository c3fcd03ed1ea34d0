import { deleteExport, setExport } from "./exports/commands.ts";
import { deleteFallback, setFallback } from "./fallbacks/commands.ts";
import { confirmEmail } from "./emails/commands.ts";
import { setUnusualSettings } from "./unusual/commands.ts";
import { deleteProviderKey, setProviderKey } from "./provider-keys/commands.ts";
import { mintCustomerToken, setCustomer } from "./customers/commands.ts";
import { dropBackup, makeBackup, openBackup } from "./backup/commands.ts";
import { adjustRun } from "./adjustments/commands.ts";
import { approve, deny } from "./approvals/commands.ts";
import { beginAuditExport, listAudit, recordVerification } from "./audit-log/commands.ts";
import { setBenchmarkProfile } from "./benchmarks/commands.ts";
import {
  changeBudget,
  createBudget,
  deleteBudget,
  increaseBudget,
  revokeIncrease,
} from "./budgets/commands.ts";
import { deleteChainBudget, setChainBudget } from "./chain-budget/commands.ts";
import { setContentSafety } from "./content-safety/commands.ts";
import { createCreditPack, voidCreditPack } from "./credit-packs/commands.ts";
import { changeCustomerLimit, createCustomerLimit, deleteCustomerLimit } from "./customer-limits/commands.ts";
import { decide, releaseHold, renewHold } from "./decisions/commands.ts";
import { noteDeprecatedCall } from "./deprecated-calls/commands.ts";
import { mintKey, revokeKey, rotateKey } from "./keys/commands.ts";
import { deleteModel, rereadPrices, setModel } from "./models/commands.ts";
import { advanceClock, changeOrg, openOrg, resumeOrg, suspendOrg, suspendRestored } from "./orgs/commands.ts";
import {
  admitSession,
  createConsoleLink,
  enterByLink,
  openSession,
  putSso,
  rememberSignIn,
  revokeSession,
  spendSignInLink,
  takeSignIn,
} from "./people/commands.ts";
import { setPlanTerms } from "./plans/commands.ts";
import {
  recordCohort,
  recordDeprecation,
  recordOrgCreated,
  recordPlan,
  recordPriceBook,
  recordImport,
  recordMove,
  recordRestore,
} from "./platform/commands.ts";
import { changePolicyRule, createPolicyRule, deletePolicyRule } from "./policy-rules/commands.ts";
import { deleteQuota, setQuota, topUpQuota } from "./quota/commands.ts";
import { setRateLimits } from "./rate-limits/commands.ts";
import { setResidency } from "./residency/commands.ts";
import { setRetentionPolicy } from "./retention-policy/commands.ts";
import { recordEval, setRoutingPolicy } from "./routing/commands.ts";
import { recordRun, recordRuns } from "./runs/commands.ts";
import { deleteSpendCap, setSpendCap } from "./spend-cap/commands.ts";
import {
  admitSupport,
  closeSupportGrant,
  openSupportGrant,
  openSupportSession,
  recordSupportRequest,
} from "./support/commands.ts";
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  pingWebhook,
  recoverDeliveries,
  replayDelivery,
  rotateOrgWebhookSecret,
  rotateSigning,
} from "./webhooks/commands.ts";
import { explain } from "./explain/commands.ts";

/** Every command of an org's object, by the name that callers use. */
export const COMMANDS = {
  openOrg,
  changeOrg,
  suspendOrg,
  suspendRestored,
  resumeOrg,
  advanceClock,
  mintKey,
  rotateKey,
  revokeKey,
  setResidency,
  setRateLimits,
  setBenchmarkProfile,
  recordCohort,
  recordOrgCreated,
  recordDeprecation,
  recordPlan,
  recordPriceBook,
  recordRun,
  recordRuns,
  adjustRun,
  decide,
  releaseHold,
  renewHold,
  createPolicyRule,
  changePolicyRule,
  deletePolicyRule,
  approve,
  deny,
  setContentSafety,
  setRoutingPolicy,
  recordEval,
  createBudget,
  changeBudget,
  deleteBudget,
  increaseBudget,
  revokeIncrease,
  setSpendCap,
  deleteSpendCap,
  createCustomerLimit,
  changeCustomerLimit,
  deleteCustomerLimit,
  createCreditPack,
  voidCreditPack,
  setQuota,
  deleteQuota,
  topUpQuota,
  setChainBudget,
  deleteChainBudget,
  setModel,
  deleteModel,
  rereadPrices,
  setPlanTerms,
  createWebhook,
  changeWebhook,
  deleteWebhook,
  rotateSigning,
  rotateOrgWebhookSecret,
  pingWebhook,
  recoverDeliveries,
  replayDelivery,
  setRetentionPolicy,
  listAudit,
  beginAuditExport,
  recordVerification,
  openSession,
  noteDeprecatedCall,
  admitSession,
  revokeSession,
  rememberSignIn,
  takeSignIn,
  spendSignInLink,
  createConsoleLink,
  enterByLink,
  putSso,
  openSupportGrant,
  closeSupportGrant,
  openSupportSession,
  admitSupport,
  recordSupportRequest,
  explain,
  mintCustomerToken,
  setCustomer,
  openBackup,
  makeBackup,
  dropBackup,
  recordImport,
  recordMove,
  recordRestore,
  setExport,
  deleteExport,
  setFallback,
  deleteFallback,
  confirmEmail,
  setUnusualSettings,
  setProviderKey,
  deleteProviderKey,
} as const;
