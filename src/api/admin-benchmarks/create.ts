import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import { isRefusal } from "../../contract/refusal.ts";
import { countsFrom, monthOf } from "../../domain/cohort/month.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { cohortWithMembers, newCohort } from "../../contract/resources/benchmarks.ts";
import { operation } from "../../edge/request/operation.ts";
import { createCohort as store } from "../../platform/cohorts.ts";
import { environmentOf } from "./members.ts";

export const createCohort = operation(
  {
    method: "POST",
    path: "/v1/admin/benchmarks/cohorts",
    summary: "Create a benchmark cohort",
    role: "operator",
    body: newCohort,
    reply: { 201: cohortWithMembers },
    refuses: [],
  },
  async (call) => {
    const { metric, org_ids, name: title } = call.body;
    const environment = await environmentOf(call.env.DB, org_ids);
    if (isRefusal(environment)) return environment;
    const now = call.startedAt;
    const cohort = {
      id: newId("coh", now),
      name: title,
      metric,
      environment: environment ?? "live",
      createdAt: now,
    };
    await store(call.env.DB, cohort, org_ids, countsFrom(monthOf(now)));
    const body = { id: cohort.id, name: title, metric, created_at: new Date(now).toISOString(), org_ids };
    return call.door(PLATFORM_ORG_ID).command("recordCohort", { status: 201, body });
  },
);
