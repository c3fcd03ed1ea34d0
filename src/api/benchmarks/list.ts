import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import { cohortsOf } from "../../platform/cohorts.ts";
import { cohort } from "../../contract/resources/benchmarks.ts";

const LIST = { sort: ["created_at"] } as const;

export const listCohorts = operation(
  {
    method: "GET",
    path: "/v1/benchmarks/cohorts",
    summary: "List the benchmark cohorts of your organization",
    role: "viewer",
    scope: "benchmarks:read",
    servedAtHome: true,
    query: listQuery(LIST),
    reply: { 200: pageOf(cohort) },
    refuses: [],
  },
  async (call) => reply(200, await cohortsOf(call.env.DB, call.orgId ?? "", toListQuery(LIST, call.query))),
);
