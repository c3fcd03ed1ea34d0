import type { GovernedCall } from "../adapters/governed-call.ts";
import { type LeavePolicy, settledBody } from "../adapters/settled-body.ts";
import { isProvidersFault, modelText } from "../adapters/fallbacks.ts";
import { isLostAnswer, wasNotSent } from "../adapters/lost-call.ts";
import type { SentCall } from "../adapters/tries.ts";
import { UsageEventFilter } from "../adapters/usage-event.ts";
import type { ProviderApi } from "../providers/provider-api.ts";
import { answerReader, isEventStream } from "../providers/usage/reading.ts";
import type { WireRefusal } from "../providers/wire-refusal.ts";
import { badGateway, failedAnswer } from "./answer.ts";
import type { KeyOf } from "./credentials.ts";
import { headersFrom } from "./headers.ts";
import { retryAfterMs } from "./retry.ts";
import type { Watch } from "./watch.ts";

export interface RelayedCall {
  readonly call: GovernedCall;
  /** Null: the answer says nothing about its cost. */
  readonly api: ProviderApi | null;
  /** Secrets that were sent to the provider and that its answers must not show: its key above all. */
  readonly secrets: readonly string[];
  readonly keyOf: KeyOf;
  /** The statuses by which the provider says that it does not accept the key. Undefined: by 401. */
  readonly keyRefusals?: readonly number[] | undefined;
  /** The model that was called. Undefined: the call names none. */
  readonly model: string | undefined;
  /** The bound that was written into the request. Null: none. */
  readonly maxOutputTokens: number | null;
  /** True if the caller asked for the event with the usage. */
  readonly showsUsageEvent: boolean;
  readonly leave: LeavePolicy;
  readonly watch: Watch;
  /** Fires when the caller goes away. */
  readonly gone: AbortSignal;
  readonly send: () => Promise<Response>;
}

/** The result of a call. */
export interface Relay {
  readonly answer: Response | WireRefusal;
  readonly failure: SentCall<unknown>["failure"];
  /** The status of the provider's answer. Null: there was none. */
  readonly status: number | null;
  /** When the provider says that the same call may be made again. Null: it does not. */
  readonly retryAfterMs: number | null;
}

const FINE = { failure: null, status: 200, retryAfterMs: null } as const;

/** The provider's answer, as fast as the caller reads it. Whichever way it ends, the call is settled. */
export async function relay(relayed: RelayedCall): Promise<Relay> {
  const { call, watch } = relayed;
  let answer: Response;
  const stopped = stopIfLeft(relayed);
  try {
    answer = await relayed.send();
  } catch (error) {
    watch.end();
    const isUnbilled = wasNotSent(error);
    if (isUnbilled) call.fail();
    else if (relayed.gone.aborted) call.cancel(null);
    else call.lose();
    const unreached = badGateway("The provider could not be reached, or did not answer in time.");
    return {
      answer: unreached,
      failure: isUnbilled ? "unbilled" : "final",
      status: null,
      retryAfterMs: null,
    };
  } finally {
    stopped.clear();
  }
  if (answer.ok)
    return isShort(answer) ? shortAnswer(answer, relayed) : { answer: succeeded(answer, relayed), ...FINE };
  if (isLostAnswer(answer.status)) call.lose();
  else call.fail();
  const isOtherKey = relayed.keyOf !== "caller" && (relayed.keyRefusals ?? []).includes(answer.status);
  const isFault = isOtherKey || isProvidersFault(answer.status, relayed.keyOf === "caller");
  const failure = isFault ? "unbilled" : "final";
  const told = { status: answer.status, retryAfterMs: retryAfterMs(answer) };
  try {
    const failed = await failedAnswer(answer, relayed);
    if (failed instanceof Response) name(failed.headers, relayed);
    return { answer: failed, failure, ...told };
  } catch {
    return { answer: badGateway("The provider broke off its answer."), failure, ...told };
  } finally {
    watch.end();
  }
}

/** A stream whose caller leaves before it begins is waited for as long as one that is left later. */
function stopIfLeft({ call, leave, gone, watch }: RelayedCall): { clear(): void } {
  if (!call.isStream || leave.readsToEnd) return { clear: () => undefined };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onLeave = () => {
    timer = setTimeout(() => watch.abort(new Error("the caller has left")), leave.graceMs);
  };
  if (gone.aborted) onLeave();
  else gone.addEventListener("abort", onLeave, { once: true });
  return {
    clear: () => {
      clearTimeout(timer);
      gone.removeEventListener("abort", onLeave);
    },
  };
}

/** The longest answer that is read at once. */
const MOST_SHORT_BYTES = 65_536;

/** Returns whether its length is known and small, and nobody waits for its beginning. A compressed text may be of any length. */
function isShort({ headers, body }: Response): boolean {
  const length = headers.get("content-length");
  return (
    body !== null &&
    length !== null &&
    !headers.has("content-encoding") &&
    Number(length) <= MOST_SHORT_BYTES &&
    !isEventStream(headers.get("content-type"))
  );
}

/** Reading it at once takes a fraction of the processor time that its chunks would, each by itself. */
async function shortAnswer(answer: Response, relayed: RelayedCall): Promise<Relay> {
  const { call, watch, api } = relayed;
  const reader = answerReader(api, answer.headers.get("content-type"));
  try {
    const bytes = await answer.arrayBuffer();
    reader.push(new Uint8Array(bytes));
    call.finish(reader.reading);
    const whole = new Response(bytes, { status: answer.status, headers: relayedHeaders(answer, relayed) });
    return { answer: whole, ...FINE };
  } catch {
    call.breakOff(reader.reading);
    const broken = badGateway("The provider broke off its answer.");
    return { answer: broken, ...FINE, failure: "final" };
  } finally {
    watch.end();
  }
}

function name(headers: Headers, { call, model }: RelayedCall): void {
  headers.set("x-sluice-run-id", call.runId);
  if (model !== undefined) headers.set("x-sluice-model", modelText(model));
}

function relayedHeaders(answer: Response, relayed: RelayedCall): Headers {
  const { secrets, maxOutputTokens } = relayed;
  const headers = headersFrom(secrets, answer.headers);
  name(headers, relayed);
  if (maxOutputTokens !== null) headers.set("x-sluice-max-output-tokens", String(maxOutputTokens));
  return headers;
}

function succeeded(answer: Response, relayed: RelayedCall): Response {
  const { call, watch } = relayed;
  const headers = relayedHeaders(answer, relayed);
  const { status } = answer;
  if (answer.body === null) {
    watch.end();
    call.finish(null);
    return new Response(null, { status, headers });
  }
  return new Response(relayedBody(answer.body as ReadableStream<Uint8Array>, answer.headers, relayed), {
    status,
    headers,
  });
}

function relayedBody(
  body: ReadableStream<Uint8Array>,
  headers: Headers,
  { call, api, watch, gone, leave, showsUsageEvent }: RelayedCall,
): ReadableStream<Uint8Array> {
  const contentType = headers.get("content-type");
  const isFiltered = api !== null && !showsUsageEvent && isEventStream(contentType);
  const passage = settledBody(body, {
    call,
    reader: answerReader(api, contentType),
    leave,
    filter: isFiltered ? new UsageEventFilter(api) : undefined,
    stop: (reason) => watch.abort(reason),
    onChunk: () => watch.noteChunk(),
    onEnd: () => watch.end(),
  });
  whenGone(gone, () => passage.leave());
  return passage.readable;
}

/** A function of its own, so that the listener does not keep the signal alive, and the request with it. */
function whenGone(gone: AbortSignal, leave: () => Promise<void>): void {
  if (gone.aborted) void leave();
  else gone.addEventListener("abort", () => void leave(), { once: true });
}
