import { and, asc, desc, eq, gt, lt, or, type SQL } from "drizzle-orm";
import { encodeCursor, type ListQuery, type Page } from "../contract/list.ts";
import type { Org } from "../contract/resources/orgs.ts";
import { database, orgOverview, orgRateLimits, orgs } from "./database.ts";

/**
 * The directory: a copy of every org's profile, for lists. Each org's object holds the original and publishes it here.
 */

type OrgRecord = typeof orgs.$inferSelect;

export async function publishOrg(d1: D1Database, record: OrgRecord): Promise<void> {
  const { id, name, status, plan, environment, homeRegion, ipAllowList, createdAt } = record;
  const row = { id, name, status, plan, environment, homeRegion, ipAllowList, createdAt };
  await database(d1).insert(orgs).values(row).onConflictDoUpdate({ target: orgs.id, set: row });
}

/** Returns whether an org has its home here. */
export async function isListed(d1: D1Database, orgId: string): Promise<boolean> {
  const found = await database(d1).select({ id: orgs.id }).from(orgs).where(eq(orgs.id, orgId)).limit(1);
  return found.length > 0;
}

/** An org that has its home elsewhere now. */
export async function unlistOrg(d1: D1Database, orgId: string): Promise<void> {
  const here = database(d1);
  await here.delete(orgs).where(eq(orgs.id, orgId));
  await here.delete(orgOverview).where(eq(orgOverview.orgId, orgId));
  await here.delete(orgRateLimits).where(eq(orgRateLimits.orgId, orgId));
}

function toOrg(row: OrgRecord): Org {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    plan: row.plan,
    environment: row.environment,
    home_region: row.homeRegion,
    ip_allow_list: [...row.ipAllowList],
    created_at: new Date(row.createdAt).toISOString(),
  };
}

export async function listOrgs(d1: D1Database, query: ListQuery): Promise<Page<Org>> {
  const column = query.sort.field === "name" ? orgs.name : orgs.createdAt;
  const beyond = query.sort.descending ? lt : gt;
  const order = query.sort.descending ? desc : asc;
  const conditions: (SQL | undefined)[] = [];
  const { status, plan, environment } = query.filters;
  if (status !== undefined) conditions.push(eq(orgs.status, status as OrgRecord["status"]));
  if (plan !== undefined) conditions.push(eq(orgs.plan, plan));
  if (environment !== undefined)
    conditions.push(eq(orgs.environment, environment as OrgRecord["environment"]));
  if (query.after !== null) {
    const { value, id } = query.after;
    conditions.push(or(beyond(column, value), and(eq(column, value), beyond(orgs.id, id))));
  }
  const rows = await database(d1)
    .select()
    .from(orgs)
    .where(and(...conditions))
    .orderBy(order(column), order(orgs.id))
    .limit(query.limit + 1);
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  const value = query.sort.field === "name" ? last?.name : last?.createdAt;
  return {
    data: page.map(toOrg),
    next_cursor:
      last === undefined || value === undefined ? null : encodeCursor(query, { value, id: last.id }),
  };
}
