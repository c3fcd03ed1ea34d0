import * as z from "zod";
import { callerId } from "../../contract/ids.ts";
import { isRefusal } from "../../contract/refusal.ts";
import { linearReturn } from "../../domain/forecast/returns.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import { wholeNumber } from "../../contract/query-numbers.ts";
import { linearForecast } from "../../contract/resources/forecasts.ts";

export const forecastLinear = operation(
  {
    method: "GET",
    path: "/v1/forecast",
    summary: "Project a deployment's return linearly by team count",
    description:
      "What one team returned in the last 30 days, multiplied by `teams`, without diminishing returns. Changes nothing.",
    role: "viewer",
    scope: "forecasts:read",
    query: z.strictObject({ deployment_id: callerId, teams: wholeNumber(1, 1_000_000) }),
    reply: { 200: linearForecast },
    refuses: [],
  },
  async (call) => {
    const { deployment_id, teams } = call.query;
    const found = await call.org.query("deploymentReturn", { deploymentId: deployment_id });
    if (isRefusal(found)) return found;
    const known = found.body;
    const projected = linearReturn({
      returnedNano: BigInt(known.returnedNano),
      activeTeams: known.teams,
      teams,
    });
    return reply(200, { deployment_id, teams, projected_return_usd: formatUsd(projected), method: "linear" });
  },
);
