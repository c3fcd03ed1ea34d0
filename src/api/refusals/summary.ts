import * as z from "zod";
import { withRule } from "../../contract/field-rules.ts";
import { DAY_MS, HOUR_MS } from "../../contract/durations.ts";
import { checkRange, momentInput, parseMoment } from "../../contract/list.ts";
import { refusalSummary, summaryGroup } from "../../contract/resources/refusals.ts";
import { reportRefusals } from "../../edge/decision/note-refusal.ts";
import { operation } from "../../edge/request/operation.ts";

const DEFAULT_DAYS = 7;

export const summarizeRefusals = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/refusals/summary",
    summary: "Count refusals by hour",
    description:
      "Exact counts and amounts by hour in UTC, including refusals that are not listed individually. The hours of `from` and `to` are included whole. Default: the last 7 days. Sums are kept for 90 days.",
    role: "viewer",
    scope: "runs:read",
    query: withRule(
      z.strictObject({
        from: momentInput.optional(),
        to: momentInput.optional(),
        group_by: summaryGroup.optional(),
      }),
      checkRange,
    ),
    reply: { 200: refusalSummary },
    refuses: [],
  },
  async (call) => {
    await reportRefusals(call);
    const orgNow = call.startedAt + (call.caller?.org?.snapshot.clockOffsetMs ?? 0);
    const to = parseMoment(call.query.to ?? "") ?? orgNow + HOUR_MS;
    const from = parseMoment(call.query.from ?? "") ?? to - DEFAULT_DAYS * DAY_MS;
    return call.org.query("summarizeRefusals", {
      from: Math.floor(from / HOUR_MS) * HOUR_MS,
      to: Math.ceil(to / HOUR_MS) * HOUR_MS,
      groupBy: call.query.group_by ?? null,
    });
  },
);
