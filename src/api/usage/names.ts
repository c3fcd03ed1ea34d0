import { operation } from "../../edge/request/operation.ts";
import { RUNS_LOOKED_AT, namesQuery, usageNames } from "../../contract/resources/usage/usage-names.ts";

export const listUsageNames = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/usage/names",
    summary: "Find names in the latest runs",
    description: `The users, models, customers or other names of the latest ${RUNS_LOOKED_AT.toLocaleString("en-US")} runs: somewhat more, or fewer where runs are large or already in the archive. For a search, or to complete what somebody types.`,
    role: "viewer",
    scope: "runs:read",
    query: namesQuery,
    reply: { 200: usageNames },
    refuses: [],
  },
  async (call) => {
    const { by, contains = "", limit } = call.query;
    return call.org.query("listUsageNames", { by, contains, limit });
  },
);
