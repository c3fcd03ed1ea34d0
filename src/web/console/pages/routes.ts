import type { PageHandler } from "../visit.ts";
import { approve, deny, listApprovals } from "./approvals.tsx";
import { listAudit } from "./audit.tsx";
import { createBudget, deleteBudget, editBudget, listBudgets, newBudget, saveBudget } from "./budgets.tsx";
import { listDeprecations } from "./deprecations.tsx";
import { listKeys, mintKey, newKey, revokeKey, rotateKey } from "./keys.tsx";
import { limitCustomer, limits, removeCap, saveCap, unlimitCustomer, voidPack } from "./limits.tsx";
import { overview } from "./overview.tsx";
import { people, revokeSession, saveSso } from "./people.tsx";
import { createRule, deleteRule, editRule, listPolicies, newRule, saveRule } from "./policies.tsx";
import { listRuns, showRun } from "./runs.tsx";
import { closeGrant, openGrant, support } from "./support.tsx";
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  newWebhook,
  replayDelivery,
  rotateSigning,
  showWebhook,
  testWebhook,
} from "./webhooks.tsx";

/** Every page of the console, and every form. */
export const PAGES: readonly (readonly [method: "GET" | "POST", path: string, handler: PageHandler])[] = [
  ["GET", "/console", overview],
  ["GET", "/console/runs", listRuns],
  ["GET", "/console/runs/:id", showRun],
  ["GET", "/console/budgets", listBudgets],
  ["POST", "/console/budgets", createBudget],
  ["GET", "/console/budgets/new", newBudget],
  ["GET", "/console/budgets/:id", editBudget],
  ["POST", "/console/budgets/:id", saveBudget],
  ["POST", "/console/budgets/:id/delete", deleteBudget],
  ["GET", "/console/limits", limits],
  ["POST", "/console/limits/spend-cap", saveCap],
  ["POST", "/console/limits/spend-cap/delete", removeCap],
  ["POST", "/console/limits/customers", limitCustomer],
  ["POST", "/console/limits/customers/:id/delete", unlimitCustomer],
  ["POST", "/console/limits/packs/:id/void", voidPack],
  ["GET", "/console/policies", listPolicies],
  ["POST", "/console/policies", createRule],
  ["GET", "/console/policies/new", newRule],
  ["GET", "/console/policies/:id", editRule],
  ["POST", "/console/policies/:id", saveRule],
  ["POST", "/console/policies/:id/delete", deleteRule],
  ["GET", "/console/approvals", listApprovals],
  ["POST", "/console/approvals/:id/approve", approve],
  ["POST", "/console/approvals/:id/deny", deny],
  ["GET", "/console/keys", listKeys],
  ["POST", "/console/keys", mintKey],
  ["GET", "/console/keys/new", newKey],
  ["POST", "/console/keys/:id/rotate", rotateKey],
  ["POST", "/console/keys/:id/revoke", revokeKey],
  ["GET", "/console/webhooks", listWebhooks],
  ["POST", "/console/webhooks", createWebhook],
  ["GET", "/console/webhooks/new", newWebhook],
  ["GET", "/console/webhooks/:id", showWebhook],
  ["POST", "/console/webhooks/:id/test", testWebhook],
  ["POST", "/console/webhooks/:id/rotate", rotateSigning],
  ["POST", "/console/webhooks/:id/delete", deleteWebhook],
  ["POST", "/console/webhooks/:id/deliveries/:delivery/replay", replayDelivery],
  ["GET", "/console/audit", listAudit],
  ["GET", "/console/deprecations", listDeprecations],
  ["GET", "/console/people", people],
  ["POST", "/console/people/sso/:kind", saveSso],
  ["POST", "/console/people/sessions/:id/revoke", revokeSession],
  ["GET", "/console/support", support],
  ["POST", "/console/support", openGrant],
  ["POST", "/console/support/:id/close", closeGrant],
];
