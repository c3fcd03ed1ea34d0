import * as z from "zod";
import { withRule } from "../../contract/field-rules.ts";
import { limitsInUse } from "../../contract/resources/limits.ts";
import { wholeNumber } from "../../contract/query-numbers.ts";
import { isRefusal } from "../../contract/refusal.ts";
import type { Caller } from "../../edge/request/call.ts";
import { operation } from "../../edge/request/operation.ts";
import { withForecasts } from "./forecast.ts";

/** Each forecast takes some of an isolate's time. */
const MOST_FORECASTS = 20;

export const listLimits = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/limits",
    summary: "List the limits that run out next",
    description:
      "Every kind of limit in one list: plan, quota, spend cap, budgets, customer limits and credit packs, with the pace at which each is used. Limits that count each customer separately are listed for their 50 largest.",
    role: "viewer",
    scope: "budgets:read",
    query: withRule(
      z.strictObject({
        limit: wholeNumber(1, 200).default(50),
        forecast: z
          .enum(["true", "false"])
          .default("false")
          .meta({ description: `With \`true\`, \`limit\` may be at most ${MOST_FORECASTS}.` }),
      }),
      ({ limit, forecast }, { complain }) => {
        if (forecast !== "true" || limit === undefined || limit <= MOST_FORECASTS) return;
        complain(["limit"], "out_of_range", `must be at most ${MOST_FORECASTS} with forecast=true`);
      },
    ),
    reply: { 200: limitsInUse },
    refuses: [],
  },
  async (call) => {
    const { limit, forecast } = call.query;
    const listed = await call.org.query("listLimits", { limit });
    if (isRefusal(listed) || forecast === "false") return listed;
    return withForecasts(call.org, listed.body, call.startedAt + offsetOf(call.caller));
  },
);

const offsetOf = (caller: Caller | null) => caller?.org?.snapshot.clockOffsetMs ?? 0;
