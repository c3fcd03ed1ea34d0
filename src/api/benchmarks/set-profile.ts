import { operation } from "../../edge/operation.ts";
import { benchmarkChoice, benchmarkProfile } from "../../contract/resources/benchmarks.ts";

export const setBenchmarkProfile = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/benchmark-profile",
    summary: "Contribute to benchmark cohorts, or stop",
    description:
      "Opt-in. A change counts from the next calendar month, so that no two readings of a cohort can be subtracted from each other.",
    role: "admin",
    scope: "benchmarks:write",
    ifMatch: true,
    body: benchmarkChoice,
    reply: { 200: benchmarkProfile },
    refuses: [],
  },
  (call) => call.org.command("setBenchmarkProfile", call.body),
);
