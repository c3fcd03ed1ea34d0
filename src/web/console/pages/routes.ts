import { resourcePages } from "../page/resource-routes.ts";
import { settingsPages } from "../page/settings.tsx";
import type { Route } from "../visit.ts";
import { approvals } from "./approvals.tsx";
import { listAudit } from "./audit.tsx";
import { benchmarks } from "./benchmarks.tsx";
import { budgets } from "./budgets.tsx";
import { customers } from "./customers.tsx";
import { data } from "./data.tsx";
import { replay } from "./deliveries.tsx";
import { listDeprecations } from "./deprecations.tsx";
import { evals } from "./evals.tsx";
import { keys } from "./keys.tsx";
import { limits } from "./limits.tsx";
import { models } from "./models.tsx";
import { organization } from "./organization.tsx";
import { overview } from "./overview.tsx";
import { packs } from "./packs.tsx";
import { people } from "./people.tsx";
import { policies } from "./policies.tsx";
import { rateLimits } from "./rate-limits.tsx";
import { routing } from "./routing.tsx";
import { listRuns, showRun } from "./runs.tsx";
import { safety } from "./safety.tsx";
import { sso } from "./sso.tsx";
import { support } from "./support.tsx";
import { webhooks } from "./webhooks.tsx";

/** Every page of the console, and every form. */
export const PAGES: readonly Route[] = [
  ["GET", "/console", overview],
  ["GET", "/console/runs", listRuns],
  ["GET", "/console/runs/:id", showRun],
  ["GET", "/console/rate-limits", rateLimits],
  ["GET", "/console/audit", listAudit],
  ["GET", "/console/deprecations", listDeprecations],
  replay,
  ...resourcePages(budgets),
  ...resourcePages(customers),
  ...resourcePages(packs),
  ...resourcePages(models),
  ...resourcePages(evals),
  ...resourcePages(policies),
  ...resourcePages(approvals),
  ...resourcePages(keys),
  ...resourcePages(webhooks),
  ...resourcePages(people),
  ...resourcePages(support),
  ...[limits, routing, safety, benchmarks, data, sso, organization].flatMap(settingsPages),
];
