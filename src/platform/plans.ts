import { asc, desc, eq, gt, lt } from "drizzle-orm";
import { encodeCursor, type ListQuery, type Page } from "../contract/list.ts";
import type { PlanTerms } from "../contract/resources/plans.ts";
import { database, orgs, plans } from "./database.ts";

/** Plans span orgs, so they are in D1. Each org's object keeps the terms of its own plan, pushed when they change. */

type PlanRecord = typeof plans.$inferSelect;

function toTerms(row: PlanRecord): PlanTerms {
  return {
    plan: row.plan,
    runs_limit: row.runsLimit,
    tokens_limit: row.tokensLimit,
    overage_policy: row.overagePolicy,
    alert_thresholds: [...row.alertThresholds],
  };
}

export async function loadPlan(d1: D1Database, plan: string): Promise<PlanTerms | null> {
  const rows = await database(d1).select().from(plans).where(eq(plans.plan, plan)).limit(1);
  return rows[0] === undefined ? null : toTerms(rows[0]);
}

/** A plan's name is its key, so the next page starts after the last name. */
export async function listPlans(d1: D1Database, query: ListQuery): Promise<Page<PlanTerms>> {
  const { after, limit, sort } = query;
  const beyond = sort.descending ? lt : gt;
  const order = sort.descending ? desc : asc;
  const rows = await database(d1)
    .select()
    .from(plans)
    .where(after === null ? undefined : beyond(plans.plan, after.id))
    .orderBy(order(plans.plan))
    .limit(limit + 1);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1)?.plan : undefined;
  return {
    data: page.map(toTerms),
    next_cursor: last === undefined ? null : encodeCursor(query, { value: last, id: last }),
  };
}

export async function savePlan(d1: D1Database, terms: PlanTerms): Promise<void> {
  const row: PlanRecord = {
    plan: terms.plan,
    runsLimit: terms.runs_limit,
    tokensLimit: terms.tokens_limit,
    overagePolicy: terms.overage_policy,
    alertThresholds: terms.alert_thresholds,
  };
  await database(d1).insert(plans).values(row).onConflictDoUpdate({ target: plans.plan, set: row });
}

export async function orgIdsOnPlan(d1: D1Database, plan: string): Promise<string[]> {
  const rows = await database(d1).select({ id: orgs.id }).from(orgs).where(eq(orgs.plan, plan));
  return rows.map((row) => row.id);
}
