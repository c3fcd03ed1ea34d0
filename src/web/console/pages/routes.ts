import { resourcePages } from "../page/resource-routes.ts";
import { settingsPages } from "../page/settings.tsx";
import type { Route } from "../visit.ts";
import { approvals } from "./approvals.tsx";
import { listAudit } from "./audit-log.tsx";
import { benchmarks } from "./benchmarks.tsx";
import { revokeIncrease } from "./budgets/budget-increases.tsx";
import { budgets } from "./budgets/budgets.tsx";
import { customerLimits } from "./customer-limits.tsx";
import { createToken, saveCustomer, showCustomer } from "./customers/customer.tsx";
import { listCustomers } from "./customers/customers.tsx";
import { data } from "./data.tsx";
import { digests } from "./digests.tsx";
import { replay, showDelivery } from "./webhooks/delivery.tsx";
import { listDeprecations } from "./deprecations.tsx";
import { explain } from "./explain/explain.tsx";
import { search } from "./explain/search.tsx";
import { exportsPage } from "./exports.tsx";
import { listEvents } from "./events.tsx";
import { evals } from "./evals.tsx";
import { fallbacks } from "./fallbacks.tsx";
import { keys } from "./keys/keys.tsx";
import { limits } from "./limits.tsx";
import { models } from "./models/models.tsx";
import { organization } from "./organization.tsx";
import { overview } from "./overview/overview.tsx";
import { packs } from "./credit-packs.tsx";
import { people } from "./people.tsx";
import { policies } from "./policy-rules/policies.tsx";
import { providerKeys } from "./provider-keys.tsx";
import { rateLimits } from "./rate-limits.tsx";
import { REPORT_PATH, report } from "./report/report.tsx";
import { routing } from "./routing.tsx";
import { listRefusals } from "./refusals.tsx";
import { showRun } from "./runs/run.tsx";
import { listRuns } from "./runs/runs.tsx";
import { safety, trySafety } from "./content-safety/safety.tsx";
import { savedViewPages } from "./saved-views.tsx";
import { sso } from "./sso.tsx";
import { support } from "./support.tsx";
import { webhooks } from "./webhooks/webhooks.tsx";

/** Every page of the console, and every form. */
export const PAGES: readonly Route[] = [
  ["GET", "/console", overview],
  ["GET", REPORT_PATH, report],
  ["GET", "/console/runs", listRuns],
  ["GET", "/console/runs/:id", showRun],
  ["GET", "/console/refusals", listRefusals],
  ["GET", "/console/customers", listCustomers],
  ["GET", "/console/customers/:customer_id", showCustomer],
  saveCustomer,
  createToken,
  ["GET", "/console/explain", explain],
  ["GET", "/console/search", search],
  ["GET", "/console/rate-limits", rateLimits],
  ["GET", "/console/audit", listAudit],
  ["GET", "/console/deprecations", listDeprecations],
  ["GET", "/console/events", listEvents],
  ["GET", "/console/webhooks/:id/deliveries/:delivery", showDelivery],
  replay,
  revokeIncrease,
  trySafety,
  ...savedViewPages,
  ...resourcePages(budgets),
  ...resourcePages(customerLimits),
  ...resourcePages(packs),
  ...resourcePages(models),
  ...resourcePages(evals),
  ...resourcePages(policies),
  ...resourcePages(approvals),
  ...resourcePages(keys),
  ...resourcePages(webhooks),
  ...resourcePages(people),
  ...resourcePages(support),
  ...resourcePages(exportsPage),
  ...resourcePages(digests),
  ...resourcePages(fallbacks),
  ...resourcePages(providerKeys),
  ...[limits, routing, safety, benchmarks, data, sso, organization].flatMap(settingsPages),
];
