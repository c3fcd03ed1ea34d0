import { drizzle } from "drizzle-orm/d1";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export * from "./cohort-tables.ts";
export * from "./overview-table.ts";
export * from "./price-book-tables.ts";

/** Tables in D1: what spans orgs. `migrations/` creates them, and a test compares the two. */

export const orgs = sqliteTable(
  "orgs",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    status: text("status", { enum: ["active", "suspended"] }).notNull(),
    plan: text("plan").notNull(),
    environment: text("environment", { enum: ["live", "test"] }).notNull(),
    homeRegion: text("home_region").notNull(),
    ipAllowList: text("ip_allow_list", { mode: "json" }).$type<readonly string[]>().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("orgs_created_at").on(table.createdAt, table.id)],
);

export const plans = sqliteTable("plans", {
  plan: text("plan").primaryKey(),
  runsLimit: integer("runs_limit"),
  tokensLimit: integer("tokens_limit"),
  overagePolicy: text("overage_policy", { enum: ["block", "allow"] }).notNull(),
  alertThresholds: text("alert_thresholds", { mode: "json" })
    .$type<readonly string[]>()
    .notNull()
    .default([]),
});

export const orgRateLimits = sqliteTable("org_rate_limits", {
  orgId: text("org_id").primaryKey(),
  readRpm: integer("read_rpm"),
});

export const rateLimitPolicies = sqliteTable(
  "rate_limit_policies",
  {
    id: text("id").primaryKey(),
    orgId: text("org_id").notNull(),
    position: integer("position").notNull(),
    name: text("name").notNull(),
    route: text("route"),
    keyId: text("key_id"),
    customerId: text("customer_id"),
    /** All of what it matches, as JSON. */
    match: text("match").notNull(),
    unit: text("unit", { enum: ["requests", "tokens", "usd"] }).notNull(),
    /** Of dollars: in nano-dollars. */
    limit: integer("limit").notNull(),
    windowSeconds: integer("window_seconds").notNull(),
    kind: text("kind", { enum: ["rate", "quota"] }).notNull(),
  },
  (table) => [index("rate_limit_policies_org").on(table.orgId, table.position)],
);

/**
 * The org that opened each grant, because an operator knows only the grant's id. The grant itself is stored in the
 * org's object.
 */
export const supportGrants = sqliteTable(
  "support_grants",
  {
    grantId: text("grant_id").primaryKey(),
    orgId: text("org_id").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("support_grants_expires_at").on(table.expiresAt)],
);

/** What could not be read of an org, as `damage-reports.ts` says. `file` names the file of the archive. */
export const damageReports = sqliteTable(
  "damage_reports",
  {
    orgId: text("org_id").notNull(),
    part: text("part", { enum: ["archive", "database"] }).notNull(),
    file: text("file"),
    reportedAt: integer("reported_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.part] }),
    index("damage_reports_reported_at").on(table.reportedAt),
  ],
);

/** The sessions of the operator console. */
export const operatorSessions = sqliteTable("operator_sessions", {
  id: text("id").primaryKey(),
  startedAt: integer("started_at").notNull(),
  seenAt: integer("seen_at").notNull(),
  address: text("address").notNull(),
});

export function database(d1: D1Database) {
  return drizzle(d1);
}
