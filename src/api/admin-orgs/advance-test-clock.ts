import { z } from "zod";
import { timestamp } from "../../contract/shapes.ts";
import { operation } from "../../edge/operation.ts";

export const advanceTestClock = operation(
  {
    method: "POST",
    path: "/v1/admin/orgs/{org_id}/test-clock",
    summary: "Move a test organization's clock forward",
    description: "What falls due up to the new time happens before the answer.",
    role: "operator",
    body: z.strictObject({ advance_seconds: z.int().min(1).max(315_360_000) }),
    reply: { 200: z.object({ now: timestamp }) },
    refuses: ["conflict"],
  },
  (call) => call.org.command("advanceClock", { seconds: call.body.advance_seconds }),
);
