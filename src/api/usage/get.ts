import { DAY_MS } from "../../contract/durations.ts";
import * as z from "zod";
import { withRule } from "../../contract/field-rules.ts";
import { usage } from "../../contract/resources/usage/usage.ts";
import { checkRange, momentInput, parseMoment } from "../../contract/list.ts";
import { operation } from "../../edge/request/operation.ts";

const DEFAULT_DAYS = 30;

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);

export const getUsage = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/usage",
    summary: "Read spending by day, model and workflow",
    description: "Full days in UTC, from `from` (inclusive) to `to` (exclusive). Default: the last 30 days.",
    role: "viewer",
    scope: "runs:read",
    query: withRule(z.strictObject({ from: momentInput.optional(), to: momentInput.optional() }), checkRange),
    reply: { 200: usage },
    refuses: [],
  },
  (call) => {
    const nowMs = call.startedAt + (call.caller?.org?.snapshot.clockOffsetMs ?? 0);
    const toMs = parseMoment(call.query.to ?? "") ?? nowMs + DAY_MS;
    const fromMs = parseMoment(call.query.from ?? "") ?? toMs - DEFAULT_DAYS * DAY_MS;
    return call.org.query("readUsage", { fromDay: day(fromMs), toDay: day(toMs) });
  },
);
