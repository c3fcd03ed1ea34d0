import { LIMIT_CODES } from "../../contract/limit-codes.ts";
import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import { parseBody } from "../../edge/request/body.ts";
import type { Call } from "../../edge/request/call.ts";
import { operation } from "../../edge/request/operation.ts";
import { validateBody } from "../../edge/request/validate.ts";
import { wellFormedBatch } from "../../domain/run/well-formed-runs.ts";
import { recordedRuns, runBatch } from "../../contract/resources/runs/runs.ts";

export const recordRuns = operation(
  {
    method: "POST",
    path: "/v1/runs/bulk",
    summary: "Report up to 1000 runs",
    description:
      "If any run is malformed, the whole batch is refused. Otherwise runs are recorded one by one, in order. If every run is refused with the same code, the response is that error. Runs that name a reservation may also be sent with `decisions:evaluate` alone, and for 24 hours by the key that made the reservation after that key has expired or was revoked.",
    role: "developer",
    scope: "runs:write",
    orScope: "decisions:evaluate",
    servesEndedKeys: true,
    idempotent: true,
    refusalsAreFree: true,
    endsReservations: true,
    bodyLimit: "bulk",
    lazyBody: true,
    trustsReply: true,
    body: runBatch,
    reply: { 200: recordedRuns },
    refuses: [...LIMIT_CODES, "conflict"],
  },
  async (call) => {
    const text = call.rawBody;
    // With an idempotency key, a malformed batch must be refused before the object takes the key.
    if (call.idempotencyKey === null) {
      const answer = await call.org.command("recordRuns", { text, isChecked: false });
      if (!isRefusal(answer) || answer.code !== "validation_failed" || !isUnexplained(answer)) return answer;
    }
    const refusal = wellFormedBatch(text) === null ? explained(call as unknown as Call) : null;
    return refusal === null
      ? call.org.command("recordRuns", { text, isChecked: true })
      : (refusal as Refusal<"validation_failed">);
  },
);

/** What the schema finds wrong. */
function explained(call: Call): Refusal | null {
  return parseBody(call) ?? validateBody(call);
}

/** The object found that the batch is malformed and left the explanation to the schema. */
function isUnexplained(refusal: Refusal): boolean {
  return (refusal.details as { fields?: unknown[] }).fields?.length === 0;
}
