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
 * Tells D1 whether the org contributes and, while it does, what the last whole month came to. The row then waits for the
 * next month's first hour, at a moment of its own: ten thousand orgs must not all write at midnight.
 */
export async function publishBenchmarks(context: DueContext): Promise<void> {
  const { storage, env } = context;
  const { now, orgId } = context.view();
  const { contributing, countsFrom } = loadBenchmarkProfile(storage.sql);
  if (countsFrom !== null) await pushContribution(env.DB, orgId, contributing, countsFrom);
  const month = monthOf(now);
  const figures = contributing ? figuresFor(context.view(), previousMonth(month)) : null;
  if (figures !== null) await pushFigures(env.DB, orgId, previousMonth(month), figures);
  const next = startOf(nextMonth(month)) + offsetOf(orgId);
  const still = loadBenchmarkProfile(storage.sql).contributing;
  scheduleDue(storage.sql, DUE.publish, "benchmarks", still ? next : null);
}

/** The same for an org every month: its id's last characters are random. */
function offsetOf(orgId: string): number {
  return Number.parseInt(Buffer.from(orgId.slice(-4)).toString("hex"), 16) % SPREAD_MS;
}
