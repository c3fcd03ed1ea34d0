import { z } from "zod";
import { operation } from "../../edge/operation.ts";
import { MAX_BATCH, runInput } from "./shapes.ts";

const result = z.object({
  index: z.int(),
  id: z.string().nullable(),
  status: z.enum(["accepted", "duplicate", "rejected"]),
  error: z
    .object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) })
    .optional(),
});

export const recordRuns = operation(
  {
    method: "POST",
    path: "/v1/runs/bulk",
    summary: "Report up to 1000 runs",
    description:
      "A run of the wrong shape refuses the batch. Otherwise each stands alone, in order. When every run is refused with one and the same code, that refusal is the answer.",
    role: "developer",
    scope: "runs:write",
    idempotent: true,
    bodyLimit: "bulk",
    body: z.strictObject({ runs: z.array(runInput).min(1).max(MAX_BATCH) }),
    reply: {
      200: z.object({
        accepted: z.int(),
        duplicates: z.int(),
        rejected: z.int(),
        results: z.array(result),
      }),
    },
    refuses: [
      "policy_blocked",
      "policy_approval_required",
      "policy_expression_error",
      "content_safety_blocked",
      "plan_limit_exceeded",
      "chain_budget_exceeded",
      "quota_exhausted",
      "spend_cap_exceeded",
      "budget_exceeded",
      "credits_exhausted",
      "conflict",
    ],
  },
  (call) => call.org.command("recordRuns", { text: call.rawBody }),
);
