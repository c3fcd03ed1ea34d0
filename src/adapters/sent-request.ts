import { answerReader, isEventStream } from "../providers/usage/reading.ts";
import { modelText } from "./fallbacks.ts";
import type { ReadRequest } from "./fetch-fallbacks.ts";
import type { GovernedFetchOptions } from "./fetch-options.ts";
import type { GovernedCall } from "./governed-call.ts";
import type { GovernedRequest } from "./governed-request.ts";
import { isLostAnswer, wasNotSent } from "./lost-call.ts";
import { type LeavePolicy, settledBody, USUAL_LEAVE } from "./settled-body.ts";
import { UsageEventFilter } from "./usage-event.ts";

/** A call that is not a stream is waited for this long after its caller has left: only its end says what it costs. */
const LONGEST_REST_MS = 600_000;

export interface RequestToSend {
  readonly governed: GovernedRequest;
  readonly request: ReadRequest;
  readonly init: RequestInit | undefined;
  readonly options: GovernedFetchOptions;
}

/** The provider does not hear at once that its caller has left: the answer is read on, to see what it costs. */
export async function sendGoverned(
  call: GovernedCall,
  { governed, request, init, options }: RequestToSend,
): Promise<Response> {
  const { gone, url, method } = request;
  const stop = new AbortController();
  const { onLeave, leaveGraceMs: graceMs = USUAL_LEAVE.graceMs } = options;
  const leave: LeavePolicy = { graceMs, readsToEnd: onLeave === "finish" };
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  if (governed.contentType === null) headers.delete("content-type");
  else if (governed.contentType !== undefined) headers.set("content-type", governed.contentType);
  const body = governed.write(call.bounds);
  const sent = (options.fetch ?? fetch)(url.href, { ...init, method, headers, body, signal: stop.signal });
  const waitMs = call.isStream && !leave.readsToEnd ? leave.graceMs : LONGEST_REST_MS;
  const answered = sent.then(
    (answer) => settled(answer, { call, governed, leave, gone, stop }),
    (error: unknown) => {
      if (wasNotSent(error)) call.fail();
      else if (stop.signal.aborted || gone.aborted) call.cancel(null);
      else call.lose();
      throw error;
    },
  );
  return untilGone(answered, gone, () => {
    const timer = setTimeout(() => stop.abort(gone.reason), waitMs);
    void answered
      .then((answer) => answer.body?.cancel())
      .catch(() => undefined)
      .finally(() => clearTimeout(timer));
  });
}

/** The answer, or an error as soon as the caller is gone. */
function untilGone(answered: Promise<Response>, gone: AbortSignal, onGone: () => void): Promise<Response> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      onGone();
      reject(gone.reason as Error);
    };
    if (gone.aborted) leave();
    else gone.addEventListener("abort", leave, { once: true });
    answered.then(resolve, reject).finally(() => gone.removeEventListener("abort", leave));
  });
}

interface AnswerToSettle {
  readonly call: GovernedCall;
  readonly governed: GovernedRequest;
  readonly leave: LeavePolicy;
  readonly gone: AbortSignal;
  readonly stop: AbortController;
}

/** A provider's answer, whose end settles the call. */
function settled(answer: Response, { call, governed, leave, gone, stop }: AnswerToSettle): Response {
  const { api, metered } = governed;
  if (!answer.ok) {
    if (isLostAnswer(answer.status)) call.lose();
    else call.fail();
    return answer;
  }
  if (answer.body === null) {
    call.finish(null);
    return answer;
  }
  const { status, statusText } = answer;
  const headers = withOurs(answer.headers, call.outputBound, governed.call.ask.model);
  const contentType = headers.get("content-type");
  const isFiltered = api !== null && metered?.request.showsUsageEvent === false && isEventStream(contentType);
  const passage = settledBody(answer.body as ReadableStream<Uint8Array>, {
    call,
    reader: answerReader(api, contentType),
    leave,
    filter: isFiltered ? new UsageEventFilter(api) : undefined,
    stop: (reason) => stop.abort(reason),
  });
  const onGone = () => void passage.leave(gone.reason);
  if (gone.aborted) onGone();
  else gone.addEventListener("abort", onGone, { once: true });
  return withUrl(new Response(passage.readable, { status, statusText, headers }), answer.url);
}

/** Only we say which bound was written into the request, and which model was called. */
function withOurs(given: Headers, maxOutputTokens: number | null, model: string | undefined): Headers {
  const headers = new Headers(given);
  headers.delete("x-sluice-max-output-tokens");
  headers.delete("x-sluice-model");
  if (model !== undefined) headers.set("x-sluice-model", modelText(model));
  if (maxOutputTokens !== null) headers.set("x-sluice-max-output-tokens", String(maxOutputTokens));
  return headers;
}

/** A new response has no address, and SDKs show it in their logs. */
function withUrl(response: Response, url: string): Response {
  Object.defineProperty(response, "url", { value: url });
  return response;
}
