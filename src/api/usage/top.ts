import { DAY_MS } from "../../contract/durations.ts";
import { parseMoment } from "../../contract/list.ts";
import { invalidField } from "../../contract/refusal.ts";
import { topQuery, usageTop } from "../../contract/resources/usage/usage-top.ts";
import { showsRevenue } from "../customers/revenue.ts";
import { operation } from "../../edge/request/operation.ts";

const DEFAULT_DAYS = 30;
const MOST_DAYS = 200;

const dayAt = (ms: number) => Math.floor(ms / DAY_MS);
const dayOf = (text: string | undefined) => (text === undefined ? null : dayAt(parseMoment(text) ?? 0));
const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

export const topUsage = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/usage/top",
    summary: "Read who spends most, beside an earlier period",
    description:
      "The most expensive models, customers, workflows, deployments or departments, and what each spent in the days before. Full days in UTC, from sums that are kept by day, so it is quick with any number of runs. Default: the last 30 days.",
    role: "viewer",
    scope: "runs:read",
    query: topQuery,
    reply: { 200: usageTop },
    refuses: [],
  },
  async (call) => {
    const { by, sort, limit, contains = "", ...asked } = call.query;
    const nowMs = call.startedAt + (call.caller?.org?.snapshot.clockOffsetMs ?? 0);
    const to = dayOf(asked.to) ?? dayAt(nowMs) + 1;
    const from = dayOf(asked.from) ?? to - DEFAULT_DAYS;
    const previousTo = dayOf(asked.previous_to) ?? from;
    const previousFrom = dayOf(asked.previous_from) ?? previousTo - (to - from);
    if (to <= from) return invalidField("to", "out_of_range", "must be after from");
    if (previousTo <= previousFrom) {
      return invalidField("previous_to", "out_of_range", "must be after previous_from");
    }
    if (previousTo > from) return invalidField("previous_to", "out_of_range", "must not be after from");
    if (to - from > MOST_DAYS) {
      return invalidField("to", "out_of_range", `must be at most ${MOST_DAYS} days after from`);
    }
    if (sort === "margin" && by !== "customer_id") {
      return invalidField("sort", "invalid_value", "must not be margin, which only customers have");
    }
    return call.org.query("topUsage", {
      by,
      sort,
      limit,
      contains: contains.toLowerCase(),
      showsRevenue: showsRevenue(call),
      from: dateOf(from),
      to: dateOf(to),
      previousFrom: dateOf(previousFrom),
      previousTo: dateOf(previousTo),
    });
  },
);
