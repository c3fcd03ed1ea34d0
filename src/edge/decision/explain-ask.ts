import { invalidField, type Refusal, refuse } from "../../contract/refusal.ts";
import { decisionAsk } from "../../contract/resources/decisions/decisions.ts";
import { isLongWithoutInput, mediaProblem, parseBody } from "../request/body.ts";
import type { Call } from "../request/call.ts";
import { checkShape } from "../request/validate.ts";

/** Reads an ask by its schema, which explains what it refuses. */
export function explainAsk(call: Call): Refusal | null {
  const { rawBody, request } = call;
  const problem = rawBody === "" ? null : mediaProblem(request.headers.get("content-type"));
  const malformed =
    problem === null ? parseBody(call) : invalidField("content-type", "invalid_content_type", problem);
  if (isLongWithoutInput(call)) return refuse("payload_too_large");
  if (malformed !== null) return malformed;
  const checked = checkShape(decisionAsk, call.body, "invalid_body");
  if ("refused" in checked) return checked;
  call.body = checked.value;
  return null;
}
