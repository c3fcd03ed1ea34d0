import { createOrganization, newOrganization } from "./pages/create.tsx";
import { flagDeprecation, operatorDeprecations } from "./pages/deprecations.tsx";
import { showHealth } from "./pages/health.tsx";
import { IMPORT_PATH, importBackup, newImport } from "./pages/import.tsx";
import {
  changeOrganization,
  prepayOrganization,
  resumeOrganization,
  showOrganization,
  stopPrepaying,
  suspendOrganization,
  topUpOrganization,
} from "./pages/organization.tsx";
import {
  backupOrganization,
  moveOrganization,
  restoreOrganization,
  showOrganizationData,
  stayOrganization,
} from "./pages/organization-data.tsx";
import { listOrganizations } from "./pages/organizations.tsx";
import { listPlans, savePlan } from "./pages/plans.tsx";
import { removePrice, savePrice, showPrice } from "./pages/price.tsx";
import { showPriceBook } from "./pages/price-book.tsx";
import { endSession, listSessions } from "./pages/sessions.tsx";
import type { OperatorRoute } from "./visit.ts";

/** Every page and action of the operator console. Each is served to an operator's session only. */
export const OPERATOR_PAGES: readonly OperatorRoute[] = [
  ["GET", "/operator", listOrganizations],
  ["GET", "/operator/orgs/new", newOrganization],
  ["POST", "/operator/orgs", createOrganization],
  ["GET", IMPORT_PATH, newImport],
  ["POST", IMPORT_PATH, importBackup],
  ["GET", "/operator/orgs/:id", showOrganization],
  ["POST", "/operator/orgs/:id/suspend", suspendOrganization],
  ["POST", "/operator/orgs/:id/resume", resumeOrganization],
  ["POST", "/operator/orgs/:id/change", changeOrganization],
  ["POST", "/operator/orgs/:id/prepay", prepayOrganization],
  ["POST", "/operator/orgs/:id/stop-prepay", stopPrepaying],
  ["POST", "/operator/orgs/:id/top-up", topUpOrganization],
  ["GET", "/operator/orgs/:id/data", showOrganizationData],
  ["POST", "/operator/orgs/:id/backup", backupOrganization],
  ["POST", "/operator/orgs/:id/restore", restoreOrganization],
  ["POST", "/operator/orgs/:id/move", moveOrganization],
  ["POST", "/operator/orgs/:id/stay", stayOrganization],
  ["GET", "/operator/plans", listPlans],
  ["POST", "/operator/plans", savePlan],
  ["GET", "/operator/price-book", showPriceBook],
  ["GET", "/operator/price-book/price", showPrice],
  ["POST", "/operator/price-book/price", savePrice],
  ["POST", "/operator/price-book/remove", removePrice],
  ["GET", "/operator/deprecations", operatorDeprecations],
  ["POST", "/operator/deprecations", flagDeprecation],
  ["GET", "/operator/health", showHealth],
  ["GET", "/operator/sessions", listSessions],
  ["POST", "/operator/sessions/:id/end", endSession],
];

/** Where an operator enters an organization under one of its grants. */
export const ENTER_PATH = "/operator/orgs/:id/enter/:grant_id";
