import { customerUsageQuery, usageReport } from "../../contract/resources/usage/usage-report.ts";
import { customerOf } from "../../edge/identity/customer.ts";
import { operation } from "../../edge/request/operation.ts";
import { reportOf } from "../usage/report-reader.ts";

export const reportOwnUsage = operation(
  {
    method: "GET",
    path: "/v1/customer/usage",
    summary: "Report the usage of a token's customer",
    description: "For customer tokens only. Like the report of the organization, over this customer's runs.",
    role: "viewer",
    forCustomers: true,
    query: customerUsageQuery,
    reply: { 200: usageReport },
    media: ["text/csv"],
    refuses: [],
  },
  (call) => {
    const offsetMs = call.caller?.org?.snapshot.clockOffsetMs ?? 0;
    const { group_by = "day", limit, ...rest } = call.query;
    const query = { ...rest, group_by, customer_id: customerOf(call) };
    return reportOf(call.org, query, { limit, nowMs: call.startedAt + offsetMs, showsRevenue: false });
  },
);
