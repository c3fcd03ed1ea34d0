import { operation } from "../../edge/request/operation.ts";
import { benchmarkProfile } from "../../contract/resources/benchmarks.ts";

export const getBenchmarkProfile = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/benchmark-profile",
    summary: "Read whether your organization contributes to benchmark cohorts",
    role: "viewer",
    scope: "benchmarks:read",
    reply: { 200: benchmarkProfile },
    refuses: [],
  },
  (call) => call.org.query("getBenchmarkProfile", {}),
);
