import { ifMatchRefusal } from "../../contract/etag.ts";
import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import { invalidField, isRefusal, refuse } from "../../contract/refusal.ts";
import { countsFrom, monthOf } from "../../domain/cohort/month.ts";
import { cohortMembers, cohortWithMembers } from "../../contract/resources/benchmarks.ts";
import { operation } from "../../edge/request/operation.ts";
import { findCohort, replaceMembers } from "../../platform/cohorts.ts";
import { environmentOf } from "./members.ts";

export const setCohortMembers = operation(
  {
    method: "PUT",
    path: "/v1/admin/benchmarks/cohorts/{cohort_id}/members",
    summary: "Replace the members of a benchmark cohort",
    description: "Takes effect in the next calendar month. The metric of a cohort never changes.",
    role: "operator",
    ifMatch: true,
    body: cohortMembers,
    reply: { 200: cohortWithMembers },
    refuses: ["conflict"],
  },
  async (call) => {
    const { DB } = call.env;
    const { org_ids, metric } = call.body;
    const cohort = await findCohort(DB, call.params.cohort_id);
    if (cohort === null) return ifMatchRefusal(call.envelope().ifMatch, null) ?? refuse("not_found");
    if (metric !== undefined && metric !== cohort.metric) {
      return refuse(
        "conflict",
        {},
        { message: "The metric of a cohort cannot be changed. Create another cohort." },
      );
    }
    const environment = await environmentOf(DB, org_ids);
    if (isRefusal(environment)) return environment;
    if (environment !== null && environment !== cohort.environment) {
      return invalidField("org_ids", "invalid_value", "must not mix test and live organizations");
    }
    const { id } = cohort;
    const title = call.body.name ?? cohort.name;
    await replaceMembers(DB, { id, name: title }, org_ids, countsFrom(monthOf(call.startedAt)));
    const created_at = new Date(cohort.createdAt).toISOString();
    const body = { id, name: title, metric: cohort.metric, created_at, org_ids };
    return call.door(PLATFORM_ORG_ID).command("recordCohort", { status: 200, body });
  },
);
