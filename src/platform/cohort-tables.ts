import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { COHORT_METRICS } from "../contract/lists.ts";

/** Cohorts in D1: their members by month, what orgs contribute, and every answer ever given. */

export const cohorts = sqliteTable("cohorts", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  metric: text("metric", { enum: COHORT_METRICS }).notNull(),
  environment: text("environment", { enum: ["live", "test"] }).notNull(),
  createdAt: integer("created_at").notNull(),
  /** Until the first answer, membership changes count at once, because there is no answer to subtract from. */
  firstReadAt: integer("first_read_at"),
});

export const cohortMembers = sqliteTable(
  "cohort_members",
  {
    cohortId: text("cohort_id").notNull(),
    orgId: text("org_id").notNull(),
    fromMonth: text("from_month").notNull(),
    untilMonth: text("until_month"),
  },
  (table) => [
    primaryKey({ columns: [table.cohortId, table.orgId, table.fromMonth] }),
    index("cohort_members_org").on(table.orgId),
  ],
);

export const benchmarkContributors = sqliteTable(
  "benchmark_contributors",
  {
    orgId: text("org_id").notNull(),
    fromMonth: text("from_month").notNull(),
    untilMonth: text("until_month"),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.fromMonth] })],
);

export const benchmarkFigures = sqliteTable(
  "benchmark_figures",
  {
    orgId: text("org_id").notNull(),
    month: text("month").notNull(),
    runs: integer("runs").notNull(),
    tokens: integer("tokens").notNull(),
    costNano: text("cost_nano").notNull(),
    days: integer("days").notNull(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.month] })],
);

export const cohortAnswers = sqliteTable(
  "cohort_answers",
  {
    cohortId: text("cohort_id").notNull(),
    month: text("month").notNull(),
    metric: text("metric").notNull(),
    figuresMonth: text("figures_month").notNull(),
    size: integer("size").notNull(),
    p25: real("p25").notNull(),
    p50: real("p50").notNull(),
    p75: real("p75").notNull(),
    /** Identifies the insert that made the row, so that only its members are added. */
    seal: text("seal").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.cohortId, table.month] }),
    index("cohort_answers_metric").on(table.metric),
  ],
);

export const cohortAnswerMembers = sqliteTable(
  "cohort_answer_members",
  { cohortId: text("cohort_id").notNull(), month: text("month").notNull(), orgId: text("org_id").notNull() },
  (table) => [primaryKey({ columns: [table.cohortId, table.month, table.orgId] })],
);
