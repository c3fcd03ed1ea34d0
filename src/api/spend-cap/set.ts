import { isTimeZone } from "../../domain/time/zone.ts";
import { operation } from "../../edge/request/operation.ts";
import { newSpendCap, spendCap } from "../../contract/resources/spend-cap.ts";

const timezone = newSpendCap.shape.timezone.refine(isTimeZone, {
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
    dryRun: true,
    body: newSpendCap.extend({ timezone }),
    reply: { 200: spendCap },
    refuses: ["conflict"],
  },
  (call) => call.org.command("setSpendCap", call.body),
);
