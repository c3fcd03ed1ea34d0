import { operation } from "../../edge/request/operation.ts";
import { spendCap } from "../../contract/resources/spend-cap.ts";

export const getSpendCap = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/spend-cap",
    summary: "Read the daily spend cap",
    role: "viewer",
    scope: "budgets:read",
    reply: { 200: spendCap },
    refuses: [],
  },
  (call) => call.org.query("getSpendCap", {}),
);
