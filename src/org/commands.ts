import { setBenchmarkProfile } from "./benchmarks/profile.ts";
import { decide } from "./decisions/decide.ts";
import { releaseHold } from "./decisions/release.ts";
import { approve, deny } from "./approvals/decide.ts";
import { mintKey } from "./keys/mint.ts";
import { revokeKey } from "./keys/revoke.ts";
import { rotateKey } from "./keys/rotate.ts";
import { changePolicyRule, createPolicyRule, deletePolicyRule } from "./policy-rules/change.ts";
import { advanceClock, changeOrg, resumeOrg, suspendOrg } from "./orgs/change.ts";
import { openOrg } from "./orgs/open.ts";
import { setRateLimits } from "./rate-limits/set.ts";
import { setResidency } from "./residency/rule.ts";
import { recordCohort, recordDeprecation, recordOrgCreated, recordPlan } from "./platform/commands.ts";
import { recordRun, recordRuns } from "./runs/commands.ts";
import { setContentSafety } from "./content-safety/config.ts";
import { changeBudget, createBudget, deleteBudget } from "./budgets/commands.ts";
import { deleteChainBudget, setChainBudget } from "./chain-budget/commands.ts";
import { createCreditPack, voidCreditPack } from "./credit-packs/commands.ts";
import { changeCustomerLimit, createCustomerLimit, deleteCustomerLimit } from "./customer-limits/commands.ts";
import { deleteModel, setModel } from "./models/commands.ts";
import { setPlanTerms } from "./plans/commands.ts";
import { deleteQuota, setQuota, topUpQuota } from "./quota/commands.ts";
import { deleteSpendCap, setSpendCap } from "./spend-cap/commands.ts";
import { changeWebhook, deleteWebhook } from "./webhooks/change.ts";
import { createWebhook } from "./webhooks/create.ts";
import { pingWebhook, replayDelivery } from "./webhooks/log.ts";
import { rotateOrgWebhookSecret, rotateSigning } from "./webhooks/signing.ts";
import { beginAuditExport, listAudit } from "./audit-log/read.ts";
import { recordVerification } from "./audit-log/verify.ts";
import { setRetentionPolicy } from "./retention-policy/policy.ts";
import { recordEval } from "./routing/evals.ts";
import { setRoutingPolicy } from "./routing/policy.ts";
import { admitSession, openSession, revokeSession } from "./people/session.ts";
import { rememberSignIn, spendSignInLink, takeSignIn } from "./people/sign-in.ts";
import { putSso } from "./people/sso.ts";
import { closeSupportGrant, openSupportGrant } from "./support/grant.ts";
import { admitSupport, openSupportSession, recordSupportRequest } from "./support/session.ts";
import { noteDeprecatedCall } from "./deprecated-calls/note.ts";

/** Every command that an org's object takes, by the name that callers of the object use. */
export const COMMANDS = {
  openOrg,
  changeOrg,
  suspendOrg,
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
  recordRun,
  recordRuns,
  decide,
  releaseHold,
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
  setPlanTerms,
  createWebhook,
  changeWebhook,
  deleteWebhook,
  rotateSigning,
  rotateOrgWebhookSecret,
  pingWebhook,
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
  putSso,
  openSupportGrant,
  closeSupportGrant,
  openSupportSession,
  admitSupport,
  recordSupportRequest,
} as const;
