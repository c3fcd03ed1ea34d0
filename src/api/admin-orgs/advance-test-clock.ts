import { clockAdvance, clockNow } from "../../contract/resources/orgs.ts";
import { operation } from "../../edge/request/operation.ts";

export const advanceTestClock = operation(
  {
    method: "POST",
    path: "/v1/admin/orgs/{org_id}/test-clock",
    summary: "Move a test organization's clock forward",
    description: "Work that becomes due by the new time is done before the response.",
    role: "operator",
    body: clockAdvance,
    reply: { 200: clockNow },
    refuses: ["conflict"],
  },
  (call) => call.org.command("advanceClock", { seconds: call.body.advance_seconds }),
);
