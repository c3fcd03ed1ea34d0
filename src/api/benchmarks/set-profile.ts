import { operation } from "../../edge/request/operation.ts";
import { benchmarkChoice, benchmarkProfile } from "../../contract/resources/benchmarks.ts";

export const setBenchmarkProfile = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/benchmark-profile",
    summary: "Contribute to benchmark cohorts, or stop",
    description:
      "Opt-in. A change takes effect in the next calendar month, so that no one can derive a single organization's figures by comparing two readings.",
    role: "admin",
    scope: "benchmarks:write",
    ifMatch: true,
    body: benchmarkChoice,
    reply: { 200: benchmarkProfile },
    refuses: [],
  },
  (call) => call.org.command("setBenchmarkProfile", call.body),
);
