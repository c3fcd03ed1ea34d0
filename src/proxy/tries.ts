import { begin } from "../adapters/governed-call.ts";
import { refusalOf } from "../adapters/refusal-response.ts";
import { makeCall, type Way } from "../adapters/tries.ts";
import { type AdmittedCall, attemptWith, ownAttempt, type PossibleAttempt, send } from "./attempt.ts";
import type { OwnAnswer } from "./own-answer.ts";
import { USUAL_RETRY_MS } from "./retry.ts";

/** The part of the runtime that a proxy needs: work that continues after the response. */
export interface Context {
  waitUntil(work: Promise<unknown>): void;
}

type Answer = Response | OwnAnswer;

/** Makes a call, by the fallbacks of its organization where they say so. Throws `Unmetered`. */
export async function serve(admitted: AdmittedCall, context: Context): Promise<Answer> {
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
      retries: {
        most: admitted.options.retries ?? 1,
        longestWaitMs: admitted.options.longestRetryMs ?? USUAL_RETRY_MS,
      },
    });
    return answer instanceof Response ? answer : { ...answer, by };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return refusal.status === 401 ? refusal : { ...refusal, by };
  }
}

/** A way, with the operator's other keys and hosts for the same model. */
function wayOf(admitted: AdmittedCall, context: Context, attempt: PossibleAttempt): Way<Answer> {
  const { others } = attempt.access;
  return {
    ...oneWay(admitted, context, attempt),
    others: others.map((other) =>
      oneWay(admitted, context, { ...attempt, access: { ...other, others: [] } }),
    ),
  };
}

function oneWay(admitted: AdmittedCall, context: Context, attempt: PossibleAttempt): Way<Answer> {
  const { gate, options, breakers, request } = admitted;
  const { target, served, access } = attempt;
  // The operator's hosts fail for everybody. An org chooses the address of its own key, and would pause it for others.
  const host = access.keyOf === "proxy" ? access.url : `${gate.orgId} ${access.url}`;
  return {
    name: `${target.name} ${served.ask.model}`,
    isPaused: () => breakers.isPaused(host),
    decide: (next) =>
      begin({
        gate,
        ask: { on_expiry: options.onExpiry, ...served.ask },
        metered: served.metered,
        isOtherHost: access.isOtherHost,
        trustsCost: options.trustsCost?.includes(target.name),
        insteadOf: next?.insteadOf,
        traceparent: request.headers.get("traceparent"),
        waitUntil: (work) => context.waitUntil(work),
      }),
    async send(call) {
      // A Worker ends with its caller, unless there is work that it waits for.
      context.waitUntil(call.ended);
      const { answer, failure, status, retryAfterMs } = await send(admitted, attempt, call);
      // A key that is used too much, or that is not taken, says nothing about its host. Nor does a caller that has left.
      const isHostsFault = status === null ? !request.signal.aborted : status >= 500;
      if (failure !== null && isHostsFault) breakers.failed(host);
      else if (status !== null) breakers.answered(host);
      return { answer: () => answer, failure, retryAfterMs };
    },
  };
}
