import { type DecidedAt } from "../../contract/decision.ts";
import { DECISION_DENIALS } from "../../contract/decision-codes.ts";
import { DECIDED_HEADER } from "../../contract/headers.ts";
import { decisionSeries } from "../../contract/metrics.ts";
import { envelopeText, isRefusal } from "../../contract/refusal.ts";
import type { DecisionAsk } from "../../gate/decision/ask.ts";
import type { Verdicts } from "../../contract/resources/decisions/decisions.ts";
import type { AnswerOf } from "../../org/kernel/door.ts";
import { counters } from "../../counters.ts";
import { answerDecision, type DecisionCall } from "./answer.ts";

const DENIALS: ReadonlySet<string> = new Set(DECISION_DENIALS);

/** One decision after another, so that each finds what those before it have left. */
export async function answerDecisions(
  call: DecisionCall,
  asks: readonly DecisionAsk[],
): Promise<AnswerOf<Verdicts>> {
  const results: string[] = [];
  for (const ask of asks) {
    const answer = await answerDecision(call, ask);
    const place = call.headers[DECIDED_HEADER] as DecidedAt;
    const code = isRefusal(answer) ? answer.code : null;
    if (ask.dry_run !== true && (code === null || DENIALS.has(code))) {
      counters.count(decisionSeries(code === null ? "allow" : "deny", code, place));
    }
    results.push(isRefusal(answer) ? envelopeText(answer) : (answer.text ?? "null"));
  }
  // It is about each of them alone.
  delete call.headers[DECIDED_HEADER];
  const text = `{"results":[${results.join(",")}]}`;
  const answer = { status: 200, text, etag: null, code: null, replayed: false };
  // Each was written as text where it was reached; like every answer, they are held against the shape before they leave.
  return answer as unknown as AnswerOf<Verdicts>;
}
