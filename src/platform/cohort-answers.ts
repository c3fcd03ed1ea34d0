import { type Month, nextMonth } from "../domain/cohort/month.ts";
import type { CohortMetric, MonthlyFigures, Percentiles } from "../domain/cohort/percentile.ts";

/** The answers that cohorts have given, and what orgs contribute to them. */

export interface CohortAnswer extends Percentiles {
  readonly month: Month;
  /** The month of the figures. */
  readonly figuresMonth: Month;
  readonly size: number;
}

interface AnswerRow extends Percentiles {
  month: Month;
  figures_month: Month;
  size: number;
}

/**
 * The cohort's answer for the month, or its latest earlier one, unchanged, including old figures. Showing the old
 * members with new figures would keep using an org that has left.
 */
export async function latestAnswer(
  db: D1Database,
  cohortId: string,
  month: Month,
): Promise<CohortAnswer | null> {
  const row = await db
    .prepare("SELECT * FROM cohort_answers WHERE cohort_id = ? AND month <= ? ORDER BY month DESC LIMIT 1")
    .bind(cohortId, month)
    .first<AnswerRow>();
  if (row === null) return null;
  const { size, p25, p50, p75 } = row;
  return { month: row.month, figuresMonth: row.figures_month, size, p25, p50, p75 };
}

/**
 * How many of the orgs in an answer are in the cohort and contribute in the month. If they are fewer than the floor,
 * the answer is no longer shown. An org that was placed before the answer counts at once, from whichever month.
 */
export async function stillContributing(
  db: D1Database,
  cohortId: string,
  answerMonth: Month,
  month: Month,
): Promise<number> {
  const row = await db
    .prepare(
      `SELECT COUNT(*) AS count FROM cohort_answer_members a WHERE a.cohort_id = ?1 AND a.month = ?2
         AND EXISTS (SELECT 1 FROM cohort_members m WHERE m.cohort_id = ?1 AND m.org_id = a.org_id
           AND (m.from_month <= ?3 OR m.from_month <= ?4) AND (m.until_month IS NULL OR ?3 < m.until_month))
         AND EXISTS (SELECT 1 FROM benchmark_contributors b WHERE b.org_id = a.org_id
           AND b.from_month <= ?3 AND (b.until_month IS NULL OR ?3 < b.until_month))`,
    )
    .bind(cohortId, answerMonth, month, nextMonth(answerMonth))
    .first<{ count: number }>();
  return row?.count ?? 0;
}

/**
 * If the members of two answers are almost the same, one answer can be subtracted from the other, which reveals a few
 * orgs. So an answer is stored only for a set that is large enough and that is either identical to, or differs by at
 * least the floor from, every set ever answered for the metric, in any cohort and month. Rule and insert are one
 * statement, so two reads at once cannot both pass. A month's answer never changes.
 */
export async function storeAnswer(
  db: D1Database,
  {
    cohort,
    answer,
    members,
    floor,
  }: {
    readonly cohort: { id: string; metric: CohortMetric };
    readonly answer: CohortAnswer;
    readonly members: readonly string[];
    readonly floor: number;
  },
): Promise<void> {
  const seal = crypto.randomUUID();
  const listed = JSON.stringify(members);
  const { month, figuresMonth, p25, p50, p75 } = answer;
  await db.batch([
    db
      .prepare(
        `INSERT INTO cohort_answers (cohort_id, month, metric, figures_month, size, p25, p50, p75, seal)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE ?5 >= ?10 AND NOT EXISTS (
           SELECT 1 FROM cohort_answers a WHERE a.metric = ?3 AND a.size + ?5 - 2 * (
             SELECT COUNT(*) FROM cohort_answer_members m
             WHERE m.cohort_id = a.cohort_id AND m.month = a.month
               AND m.org_id IN (SELECT value FROM json_each(?11))
           ) BETWEEN 1 AND ?10 - 1
         ) ON CONFLICT DO NOTHING`,
      )
      .bind(
        cohort.id,
        month,
        cohort.metric,
        figuresMonth,
        members.length,
        p25,
        p50,
        p75,
        seal,
        floor,
        listed,
      ),
    db
      .prepare(
        `INSERT INTO cohort_answer_members (cohort_id, month, org_id)
         SELECT a.cohort_id, a.month, j.value FROM cohort_answers a, json_each(?) j WHERE a.seal = ?`,
      )
      .bind(listed, seal),
  ]);
}

/**
 * Orgs that count in the month: placed in the cohort and contributing at the start of the month. A cohort that was
 * never read has no answer to subtract from, so its first read uses the members of that moment. An org contributes from
 * the month in which it opted in, at every read.
 */
export async function loadContributors(
  db: D1Database,
  cohortId: string,
  month: Month,
  neverRead: boolean,
): Promise<string[]> {
  const placed = neverRead
    ? "m.until_month IS NULL"
    : "m.from_month <= ?2 AND (m.until_month IS NULL OR ?2 < m.until_month)";
  const stays = neverRead ? "b.until_month IS NULL" : "(b.until_month IS NULL OR ?2 < b.until_month)";
  const { results } = await db
    .prepare(
      `SELECT DISTINCT m.org_id FROM cohort_members m JOIN benchmark_contributors b ON b.org_id = m.org_id
       WHERE m.cohort_id = ?1 AND ${placed} AND b.from_month <= ?2 AND ${stays} ORDER BY m.org_id`,
    )
    .bind(cohortId, month)
    .all<{ org_id: string }>();
  return results.map((row) => row.org_id);
}

interface FiguresRow {
  org_id: string;
  runs: number;
  tokens: number;
  cost_nano: string;
  days: number;
}

export async function figuresOf(
  db: D1Database,
  orgIds: readonly string[],
  month: Month,
): Promise<Map<string, MonthlyFigures>> {
  const { results } = await db
    .prepare(`SELECT * FROM benchmark_figures WHERE month = ? AND org_id IN (SELECT value FROM json_each(?))`)
    .bind(month, JSON.stringify(orgIds))
    .all<FiguresRow>();
  return new Map(
    results.map(({ org_id, runs, tokens, cost_nano, days }) => [
      org_id,
      { runs, tokens, costNano: BigInt(cost_nano), days },
    ]),
  );
}

/** An org's object pushes a month's figures after the month has ended. */
export async function pushFigures(
  db: D1Database,
  orgId: string,
  month: Month,
  figures: MonthlyFigures,
): Promise<void> {
  const { runs, tokens, costNano, days } = figures;
  await db
    .prepare(
      `INSERT INTO benchmark_figures (org_id, month, runs, tokens, cost_nano, days) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (org_id, month) DO NOTHING`,
    )
    .bind(orgId, month, runs, tokens, String(costNano), days)
    .run();
}

/** Returns whether an org contributes, starting with the given month. The org's object holds the original. */
export async function pushContribution(
  db: D1Database,
  orgId: string,
  contributing: boolean,
  from: Month,
): Promise<void> {
  if (contributing) {
    await db
      .prepare(
        `INSERT INTO benchmark_contributors (org_id, from_month, until_month) SELECT ?1, ?2, NULL WHERE NOT EXISTS
           (SELECT 1 FROM benchmark_contributors WHERE org_id = ?1 AND until_month IS NULL)
         ON CONFLICT (org_id, from_month) DO UPDATE SET until_month = NULL`,
      )
      .bind(orgId, from)
      .run();
    return;
  }
  await db.batch([
    db
      .prepare("UPDATE benchmark_contributors SET until_month = ? WHERE org_id = ? AND until_month IS NULL")
      .bind(from, orgId),
    db
      .prepare("DELETE FROM benchmark_contributors WHERE org_id = ? AND until_month <= from_month")
      .bind(orgId),
  ]);
}
