import { encodeCursor, type ListQuery } from "../contract/list.ts";
import type { CohortMetric } from "../domain/cohort/percentile.ts";
import type { Month } from "../domain/cohort/month.ts";

/**
 * Cohorts in D1. Plain SQL, because the rule against subtractable answers must be one statement with the insert that it
 * guards. Otherwise two reads at once could both pass.
 */

export interface Cohort {
  readonly id: string;
  readonly name: string;
  readonly metric: CohortMetric;
  readonly environment: "live" | "test";
  readonly createdAt: number;
  readonly firstReadAt: number | null;
}

interface CohortRow {
  id: string;
  name: string;
  metric: CohortMetric;
  environment: "live" | "test";
  created_at: number;
  first_read_at: number | null;
}

const toCohort = (row: CohortRow): Cohort => ({
  id: row.id,
  name: row.name,
  metric: row.metric,
  environment: row.environment,
  createdAt: row.created_at,
  firstReadAt: row.first_read_at,
});

export async function createCohort(
  db: D1Database,
  cohort: Omit<Cohort, "firstReadAt">,
  orgIds: readonly string[],
  from: Month,
): Promise<void> {
  const { id, name, metric, environment, createdAt } = cohort;
  await db.batch([
    db
      .prepare(
        `INSERT INTO cohorts (id, name, metric, environment, created_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id) DO NOTHING`,
      )
      .bind(id, name, metric, environment, createdAt),
    beginMembers(db, id, orgIds, from),
  ]);
}

/** Replaces the members: new ones start, and missing ones end, with the given month. */
export async function replaceMembers(
  db: D1Database,
  cohort: { id: string; name: string },
  orgIds: readonly string[],
  from: Month,
): Promise<void> {
  const { id } = cohort;
  const listed = JSON.stringify(orgIds);
  await db.batch([
    db.prepare("UPDATE cohorts SET name = ? WHERE id = ?").bind(cohort.name, id),
    db
      .prepare(
        `UPDATE cohort_members SET until_month = ? WHERE cohort_id = ? AND until_month IS NULL
         AND org_id NOT IN (SELECT value FROM json_each(?))`,
      )
      .bind(from, id, listed),
    db.prepare("DELETE FROM cohort_members WHERE cohort_id = ? AND until_month <= from_month").bind(id),
    beginMembers(db, id, orgIds, from),
  ]);
}

function beginMembers(
  db: D1Database,
  id: string,
  orgIds: readonly string[],
  from: Month,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO cohort_members (cohort_id, org_id, from_month, until_month)
       SELECT ?1, value, ?2, NULL FROM json_each(?3) WHERE value NOT IN
         (SELECT org_id FROM cohort_members WHERE cohort_id = ?1 AND until_month IS NULL)
       ON CONFLICT DO NOTHING`,
    )
    .bind(id, from, JSON.stringify(orgIds));
}

export async function findCohort(db: D1Database, id: string): Promise<Cohort | null> {
  const row = await db.prepare("SELECT * FROM cohorts WHERE id = ?").bind(id).first<CohortRow>();
  return row === null ? null : toCohort(row);
}

/** The cohort, for an org that was placed in it. For every other org it does not exist. */
export async function findCohortOf(db: D1Database, id: string, orgId: string): Promise<Cohort | null> {
  const row = await db
    .prepare(
      `SELECT c.* FROM cohorts c JOIN cohort_members m ON m.cohort_id = c.id
       WHERE c.id = ? AND m.org_id = ? AND m.until_month IS NULL`,
    )
    .bind(id, orgId)
    .first<CohortRow>();
  return row === null ? null : toCohort(row);
}

/** The cohorts that an org was placed in and may read. */
export async function cohortsOf(db: D1Database, orgId: string, query: ListQuery) {
  const [compare, direction] = query.sort.descending ? ["<", "DESC"] : [">", "ASC"];
  const { results } = await db
    .prepare(
      `SELECT c.* FROM cohorts c JOIN cohort_members m ON m.cohort_id = c.id
       WHERE m.org_id = ?1 AND m.until_month IS NULL
         AND (?2 IS NULL OR c.created_at ${compare} ?2 OR (c.created_at = ?2 AND c.id ${compare} ?3))
       ORDER BY c.created_at ${direction}, c.id ${direction} LIMIT ?4`,
    )
    .bind(orgId, query.after?.value ?? null, query.after?.id ?? null, query.limit + 1)
    .all<CohortRow>();
  const page = results.slice(0, query.limit);
  const last = results.length > query.limit ? page.at(-1) : undefined;
  return {
    data: page.map(({ id, name, metric, created_at }) => ({
      id,
      name,
      metric,
      created_at: new Date(created_at).toISOString(),
    })),
    next_cursor: last === undefined ? null : encodeCursor(query, { value: last.created_at, id: last.id }),
  };
}

/** The environment of each org that this region's directory knows. */
export async function environmentsOf(
  db: D1Database,
  orgIds: readonly string[],
): Promise<Map<string, "live" | "test">> {
  const { results } = await db
    .prepare("SELECT id, environment FROM orgs WHERE id IN (SELECT value FROM json_each(?))")
    .bind(JSON.stringify(orgIds))
    .all<{ id: string; environment: "live" | "test" }>();
  return new Map(results.map((row) => [row.id, row.environment]));
}

export async function noteFirstRead(db: D1Database, id: string): Promise<void> {
  await db
    .prepare("UPDATE cohorts SET first_read_at = ? WHERE id = ? AND first_read_at IS NULL")
    .bind(Date.now(), id)
    .run();
}
