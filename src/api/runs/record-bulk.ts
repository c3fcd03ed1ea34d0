import { LIMIT_CODES } from "../../contract/limit-codes.ts";
import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import { readRuns } from "../../domain/run/read-runs.ts";
import { parseBody } from "../../edge/request/body.ts";
import type { Call } from "../../edge/request/call.ts";
import { operation } from "../../edge/request/operation.ts";
import { refuseUnread, validateBody } from "../../edge/request/validate.ts";
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
    const isKnownBad = call.idempotencyKey !== null && readRuns(text) === null;
    const answer = isKnownBad ? null : await call.org.command("recordRuns", { text });
    return answer === null || isUnexplained(answer) ? explained(call as unknown as Call) : answer;
  },
);

/** Returns what the schema finds wrong. */
function explained(call: Call) {
  return (parseBody(call) ?? validateBody(call) ?? refuseUnread()) as Refusal<"validation_failed">;
}

/** The object found that the batch is malformed and left the explanation to the schema. */
function isUnexplained(answer: object): boolean {
  if (!isRefusal(answer) || answer.code !== "validation_failed") return false;
  return (answer.details as { fields?: unknown[] }).fields?.length === 0;
}
