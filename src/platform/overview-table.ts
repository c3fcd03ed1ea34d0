import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const orgOverview = sqliteTable("org_overview", {
  orgId: text("org_id").primaryKey(),
  monthEndsAt: integer("month_ends_at").notNull(),
  spent: text("spent").notNull(),
  runsUsed: integer("runs_used").notNull(),
  runsLimit: integer("runs_limit"),
  tokensUsed: integer("tokens_used").notNull(),
  tokensLimit: integer("tokens_limit"),
  lastCallAt: integer("last_call_at"),
  failingWebhooks: integer("failing_webhooks").notNull(),
  deprecatedCallers: integer("deprecated_callers").notNull(),
  openSupportGrants: integer("open_support_grants").notNull(),
  toldAt: integer("told_at").notNull(),
});
