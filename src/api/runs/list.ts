import { callerId } from "../../contract/ids.ts";
import { type ListSpec, listQuery, toListQuery } from "../../contract/list.ts";
import { operation } from "../../edge/request/operation.ts";
import { CHARGE_FILTERS, RUN_FILTERS } from "../../contract/resources/runs/run-filter-shape.ts";
import { runPage } from "../../contract/resources/runs/runs.ts";

export const RUN_LIST: ListSpec = {
  sort: ["started_at", "cost_usd"],
  filters: {
    ...RUN_FILTERS,
    ...CHARGE_FILTERS,
    action: callerId,
    chain_id: callerId,
  },
  range: true,
};

export const listRuns = operation(
  {
    method: "GET",
    path: "/v1/runs",
    summary: "List runs",
    description:
      "A page scans at most 100,000 runs and returns at most 4 MiB of them, but at least one. If few runs match the filters or their metadata is large, the page can be short or empty and still have a `next_cursor`.",
    role: "viewer",
    scope: "runs:read",
    query: listQuery(RUN_LIST),
    reply: { 200: runPage },
    refuses: [],
  },
  (call) => call.org.query("listRuns", toListQuery(RUN_LIST, call.query)),
);
