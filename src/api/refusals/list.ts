import { callerId } from "../../contract/ids.ts";
import { type ListSpec, listQuery, toListQuery } from "../../contract/list.ts";
import { keptCode, keptRefusalPage } from "../../contract/resources/refusals.ts";
import { reportRefusals } from "../../edge/decision/note-refusal.ts";
import { operation } from "../../edge/request/operation.ts";

const LIST: ListSpec = {
  sort: ["at"],
  newestFirst: true,
  filters: {
    trace_id: callerId,
    code: keptCode,
    customer_id: callerId,
    workflow_id: callerId,
    key_id: callerId,
    limit_id: callerId,
  },
  range: true,
};

export const listRefusals = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/refusals",
    summary: "List refusals",
    description:
      "Refusals of decisions and runs by a limit or a rule, newest first: the last 7 days up to 200,000 refusals, and never fewer than the last 10,000. A refusal is listed within 2 seconds. A page scans at most 20,000 refusals. If few of them match the filters, the page can be short or empty and still have a `next_cursor`.",
    role: "viewer",
    scope: "runs:read",
    query: listQuery(LIST),
    reply: { 200: keptRefusalPage },
    refuses: [],
  },
  async (call) => {
    await reportRefusals(call);
    return call.org.query("listRefusals", toListQuery(LIST, call.query));
  },
);
