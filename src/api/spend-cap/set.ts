import { z } from "zod";
import { usdInput } from "../../contract/shapes.ts";
import { isTimeZone } from "../../domain/zone.ts";
import { operation } from "../../edge/operation.ts";
import { spendCap } from "../../contract/resources/spend-cap.ts";

const timezone = z.string().refine(isTimeZone, {
  message: "must be an IANA time zone, such as Europe/Berlin",
  params: { code: "invalid_value" },
});

export const setSpendCap = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/spend-cap",
    summary: "Set the daily spend cap",
    role: "admin",
    scope: "budgets:write",
    ifMatch: true,
    body: z.strictObject({ cap_usd: usdInput, timezone: timezone.default("UTC") }),
    reply: { 200: spendCap },
    refuses: ["conflict"],
  },
  (call) => call.org.command("setSpendCap", call.body),
);
