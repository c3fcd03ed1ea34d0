import { checkpointFirst } from "../../storage/transaction.ts";
import { DUE } from "../kernel/due-kinds.ts";
import { HOUR_MS } from "../../contract/durations.ts";
import { monthOf, nextMonth, previousMonth, startOf } from "../../domain/cohort/month.ts";
import { pushContribution, pushFigures } from "../../platform/cohort-answers.ts";
import type { DueContext } from "../kernel/due/handler.ts";
import { scheduleDue } from "../kernel/due/table.ts";
import { figuresFor } from "./figures.ts";
import { loadBenchmarkProfile } from "./profile.ts";

const SPREAD_MS = HOUR_MS;

/**
 * Publishes to D1 whether the org contributes and, if it does, the figures of the last complete month. The row is then
 * due in the first hour of the next month, at a time that depends on the org, so that ten thousand orgs do not all
 * write at midnight.
 */
export async function publishBenchmarks(context: DueContext): Promise<void> {
  const { storage, env } = context;
  const { now, orgId } = context.view();
  const { contributing, countsFrom } = loadBenchmarkProfile(storage.sql);
  if (countsFrom !== null) await pushContribution(env.DB, orgId, contributing, countsFrom);
  const month = monthOf(now);
  const view = { ...context.view(), sql: checkpointFirst(storage) };
  const figures = contributing ? figuresFor(view, previousMonth(month)) : null;
  if (figures !== null) await pushFigures(env.DB, orgId, previousMonth(month), figures);
  const next = startOf(nextMonth(month)) + offsetOf(orgId);
  const still = loadBenchmarkProfile(storage.sql).contributing;
  scheduleDue(storage.sql, DUE.publish, "benchmarks", still ? next : null);
}

/** The same for an org every month, because the last characters of its id are random. */
function offsetOf(orgId: string): number {
  return Number.parseInt(Buffer.from(orgId.slice(-4)).toString("hex"), 16) % SPREAD_MS;
}
