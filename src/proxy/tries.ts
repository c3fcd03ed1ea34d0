import { begin } from "../adapters/governed-call.ts";
import { refusalOf } from "../adapters/refusal-response.ts";
import { makeCall, type Way } from "../adapters/tries.ts";
import { type Admitted, attemptWith, ownAttempt, type Possible, send } from "./attempt.ts";
import type { OwnAnswer } from "./own-answer.ts";

/** What a proxy needs of the runtime: work that goes on after the response. */
export interface Context {
  waitUntil(work: Promise<unknown>): void;
}

type Answer = Response | OwnAnswer;

/** Makes a call, by the fallbacks of its organization where they say so. Throws `Unmetered`. */
export async function serve(admitted: Admitted, context: Context): Promise<Answer> {
  const { gate, request } = admitted;
  const { access, ...own } = await ownAttempt(admitted);
  const { ask } = own.served;
  const by = { key: gate.key, ask };
  if ("code" in access) return { ...access, by };
  try {
    const answer = await makeCall<Answer>({
      gate,
      ask,
      own: wayOf(admitted, context, { ...own, access }),
      wayTo: async (next) => {
        const attempt = await attemptWith(admitted, next);
        return attempt === null ? null : wayOf(admitted, context, attempt);
      },
      isGone: () => request.signal.aborted,
    });
    return answer instanceof Response ? answer : { ...answer, by };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return refusal.status === 401 ? refusal : { ...refusal, by };
  }
}

function wayOf(admitted: Admitted, context: Context, attempt: Possible): Way<Answer> {
  const { gate, options } = admitted;
  const { target, served } = attempt;
  return {
    name: `${target.name} ${served.ask.model}`,
    decide: (next) =>
      begin({
        gate,
        ask: { on_expiry: options.onExpiry, ...served.ask },
        metered: served.metered,
        trustsCost: options.trustsCost?.includes(target.name),
        insteadOf: next?.insteadOf,
        waitUntil: (work) => context.waitUntil(work),
      }),
    async send(call) {
      // A Worker ends with its caller, unless there is work that it waits for.
      context.waitUntil(call.ended);
      const { answer, failure } = await send(admitted, attempt, call);
      return { answer: () => answer, failure };
    },
  };
}
