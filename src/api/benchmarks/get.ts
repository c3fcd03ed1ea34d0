import { refuse } from "../../contract/refusal.ts";
import { monthOf } from "../../domain/cohort/month.ts";
import { metricOf } from "../../domain/cohort/percentile.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import { findCohortOf } from "../../platform/cohorts.ts";
import { answerIn } from "./answer.ts";
import { figuresFromObject } from "./figures.ts";
import { publishedValue } from "./published-value.ts";
import { cohortReading } from "../../contract/resources/benchmarks.ts";

export const getCohort = operation(
  {
    method: "GET",
    path: "/v1/benchmarks/cohorts/{cohort_id}",
    summary: "Read a benchmark cohort and your own value",
    description:
      "Percentiles over the contributing organizations for the last full month. Each read requires a minimum number of contributors. If this month's members are almost those of an earlier reading, the earlier reading is returned.",
    role: "viewer",
    scope: "benchmarks:read",
    servedAtHome: true,
    reply: { 200: cohortReading },
    refuses: ["insufficient_cohort_size"],
  },
  async (call) => {
    const cohort = await findCohortOf(call.env.DB, call.params.cohort_id, call.orgId ?? "");
    if (cohort === null) return refuse("not_found");
    const now = call.startedAt + (call.caller?.org?.snapshot.clockOffsetMs ?? 0);
    const answer = await answerIn(call, cohort, monthOf(now));
    if (answer === null) {
      return refuse("insufficient_cohort_size", { minimum_cohort_size: call.settings.SVC_COHORT_FLOOR });
    }
    const own = await figuresFromObject(call.org, answer.figuresMonth);
    const ownValue = own === null ? null : metricOf(cohort.metric, own);
    const { id, name, metric } = cohort;
    return reply(200, {
      id,
      name,
      metric,
      created_at: new Date(cohort.createdAt).toISOString(),
      month: answer.figuresMonth,
      p25: publishedValue(metric, answer.p25),
      p50: publishedValue(metric, answer.p50),
      p75: publishedValue(metric, answer.p75),
      own_value: ownValue === null ? null : publishedValue(metric, ownValue),
    });
  },
);
