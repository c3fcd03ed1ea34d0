import { reportQuery, usageReport } from "../../contract/resources/usage/usage-report.ts";
import { operation } from "../../edge/request/operation.ts";
import { showsRevenue } from "../customers/revenue.ts";
import { reportOf } from "./report-reader.ts";

export const reportUsage = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/usage/report",
    summary: "Report spending by one to three groups",
    description:
      "Exact sums over runs that started from `from` to before `to`. Adjustments are counted when they were made, in the groups of their runs. Default: the last 30 days. A report has at most 50,000 groups.",
    role: "viewer",
    scope: "runs:read",
    query: reportQuery,
    reply: { 200: usageReport },
    media: ["text/csv"],
    refuses: [],
  },
  async (call) => {
    const offsetMs = call.caller?.org?.snapshot.clockOffsetMs ?? 0;
    const { limit, ...query } = call.query;
    const result = await reportOf(call.org, query, {
      limit,
      nowMs: call.startedAt + offsetMs,
      showsRevenue: showsRevenue(call),
    });
    if ("stream" in result) call.headers["content-disposition"] = 'attachment; filename="usage-report.csv"';
    return result;
  },
);
