import { type Month, previousMonth } from "../../domain/cohort/month.ts";
import { metricOf, type MonthlyFigures, percentilesOf } from "../../domain/cohort/percentile.ts";
import type { Call } from "../../edge/request/call.ts";
import {
  type CohortAnswer,
  loadContributors,
  figuresOf,
  latestAnswer,
  stillContributing,
  storeAnswer,
} from "../../platform/cohort-answers.ts";
import { type Cohort, noteFirstRead } from "../../platform/cohorts.ts";
import { figuresFromObject } from "./figures.ts";

type CohortCall = Pick<Call, "env" | "settings" | "door" | "envelope">;

const AT_ONCE = 50;

/**
 * The cohort's answer for a month, made by the first read of that month. Null if it may not be given. For an answer of
 * an earlier month, the floor applies to those of its members that contribute in this one.
 */
export async function answerIn(call: CohortCall, cohort: Cohort, month: Month): Promise<CohortAnswer | null> {
  const { DB } = call.env;
  const floor = call.settings.SVC_COHORT_FLOOR;
  let answer = await latestAnswer(DB, cohort.id, month);
  if (answer?.month !== month) {
    await makeAnswer(call, cohort, month, floor);
    answer = await latestAnswer(DB, cohort.id, month);
  }
  if (answer === null) return null;
  const contributing = await stillContributing(DB, cohort.id, answer.month, month);
  return contributing >= floor ? answer : null;
}

/**
 * The figures are those of the previous month, which is complete. A cohort that was never read may have members without
 * figures for it; its first answer then uses the current month so far.
 */
async function makeAnswer(call: CohortCall, cohort: Cohort, month: Month, floor: number): Promise<void> {
  const { DB } = call.env;
  const neverRead = cohort.firstReadAt === null;
  const orgIds = await loadContributors(DB, cohort.id, month, neverRead);
  if (neverRead) await noteFirstRead(DB, cohort.id);
  if (orgIds.length < floor) return;
  for (const figuresMonth of neverRead ? [previousMonth(month), month] : [previousMonth(month)]) {
    const values = new Map<string, number>();
    for (const [orgId, figures] of await figuresIn(call, orgIds, figuresMonth)) {
      const value = metricOf(cohort.metric, figures);
      if (value !== null) values.set(orgId, value);
    }
    if (values.size < floor) continue;
    const answer = { month, figuresMonth, size: values.size, ...percentilesOf([...values.values()]) };
    await storeAnswer(DB, { cohort, answer, members: [...values.keys()], floor });
    return;
  }
}

/** Figures that the orgs' objects have pushed. An object that has not pushed is asked. */
async function figuresIn(
  call: CohortCall,
  orgIds: readonly string[],
  month: Month,
): Promise<Map<string, MonthlyFigures>> {
  const figures = await figuresOf(call.env.DB, orgIds, month);
  const missing = orgIds.filter((orgId) => !figures.has(orgId));
  for (let from = 0; from < missing.length; from += AT_ONCE) {
    const asked = missing.slice(from, from + AT_ONCE);
    const found = await Promise.all(asked.map((orgId) => figuresFromObject(call.door(orgId), month)));
    for (const [index, one] of found.entries()) {
      const orgId = asked[index];
      if (one !== null && orgId !== undefined) figures.set(orgId, one);
    }
  }
  return figures;
}
