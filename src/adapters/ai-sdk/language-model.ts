import { type LeavePolicy, USUAL_LEAVE } from "../settled-body.ts";
import type { FactsOfModel } from "../../providers/model-facts.ts";
import { isProvidersFault } from "../fallbacks.ts";
import { isLostAnswer, wasNotSent } from "../lost-call.ts";
import { begin, type Call, type GovernedCall } from "../governed-call.ts";
import { makeCall, thrower, type Way } from "../tries.ts";
import { type CalledModel, callOf, type SluiceModelOptions } from "./model-call.ts";
import { type CallParams, meteredParams, optionsIn } from "./call-params.ts";
import { withToolBounds } from "./hosted-tools.ts";
import { settledParts, type StreamPart } from "./settled-parts.ts";
import { readingOf, type ReportedUsage, usageOf } from "./reported-usage.ts";

export interface SluiceMiddlewareOptions extends SluiceModelOptions<CallParams> {
  /**
   * The model that a fallback of the organization goes on to, such as `({ model }) => openai(model)`. Without it, and where it
   * returns nothing, calls go on to no other model.
   */
  readonly fallbackModel?: (next: {
    readonly model: string;
    /** Null: the provider of the call. */
    readonly provider: string | null;
  }) => CalledModel | undefined;
}

interface LanguageModel<P, Generated, Streamed> extends CalledModel {
  doGenerate(params: P): PromiseLike<Generated>;
  doStream(params: P): PromiseLike<Streamed>;
}

interface WrappedCall<P, Generated, Streamed> {
  readonly params: P;
  readonly model: LanguageModel<P, Generated, Streamed>;
}

export interface SluiceMiddleware {
  /** Each version of the SDK names its own here, and none of them reads it. */
  readonly specificationVersion: never;
  wrapGenerate<P extends CallParams, G extends { readonly usage: ReportedUsage }, S>(
    call: WrappedCall<P, G, S>,
  ): Promise<G>;
  wrapStream<P extends CallParams, G, Part extends StreamPart, S extends { stream: ReadableStream<Part> }>(
    call: WrappedCall<P, G, S>,
  ): Promise<S>;
}

/** Middleware for `wrapLanguageModel` that asks before each call and settles it when its answer ends. A refusal is thrown. */
export function sluiceMiddleware(options: SluiceMiddlewareOptions): SluiceMiddleware {
  const { onLeave, leaveGraceMs: graceMs = USUAL_LEAVE.graceMs } = options;
  const leave: LeavePolicy = { graceMs, readsToEnd: onLeave === "finish" };
  return {
    specificationVersion: "v4" as never,
    wrapGenerate: (called) =>
      make(options, called, {
        isStream: false,
        async send(model, call) {
          // Only the end of the answer says what it costs, so it is waited for, also if its caller no longer wants it.
          const answered = settledAnswer(call, () => model.doGenerate(withBound(called.params, call)));
          return untilAborted(answered, called.params.abortSignal);
        },
      }),
    wrapStream: (called) =>
      make(options, called, {
        isStream: true,
        send: (model, call) => streamed(model, call, { params: called.params, leave }),
      }),
  };
}

interface SendOptions<M, T> {
  readonly isStream: boolean;
  readonly send: (model: M, call: GovernedCall) => Promise<T>;
}

/** Makes a call, by the fallbacks of the organization where they say so. */
async function make<M extends CalledModel, T>(
  options: SluiceMiddlewareOptions,
  { model, params }: { readonly model: M; readonly params: CallParams },
  sending: SendOptions<M, T>,
): Promise<T> {
  const isGone = () => params.abortSignal?.aborted === true;
  const read = (name: string, facts: FactsOfModel) => meteredParams(name, params, facts, sending.isStream);
  const wayOf = (called: M, call: Call): Way<T> => ({
    name: `${call.ask.provider} ${call.ask.model}`,
    decide: (next) => {
      const id = next?.requestId === undefined ? {} : { request_id: next.requestId };
      return begin({ ...call, ask: { ...call.ask, ...id }, insteadOf: next?.insteadOf });
    },
    async send(governed) {
      options.waitUntil?.(governed.ended);
      try {
        const answer = await sending.send(called, governed);
        return { answer: () => answer, failure: null };
      } catch (error) {
        return { answer: thrower(error), failure: isGone() ? "final" : failureIn(error) };
      }
    },
  });
  const own = callOf(options, { model, params }, read);
  return makeCall<T>({
    gate: options.gate,
    ask: own.ask,
    own: wayOf(model, own),
    wayTo: async ({ model: name, provider }) => {
      // It is one of the same kind and version, as whoever gave it knows.
      const other = options.fallbackModel?.({ model: name, provider }) as M | undefined;
      if (other === undefined) return null;
      const { model: _, ...rest } = options;
      const call = callOf(rest, { model: other, params }, read);
      // An estimate for the first model says nothing about the price of this one.
      const [named = ""] = other.provider.split(".");
      return wayOf(other, { ...call, ask: { ...call.ask, model: other.modelId, provider: named } });
    },
    isGone,
  });
}

async function streamed<
  P extends CallParams,
  Part extends StreamPart,
  S extends { stream: ReadableStream<Part> },
>(
  model: { doStream(params: P): PromiseLike<S> },
  call: GovernedCall,
  { params, leave }: { readonly params: P; readonly leave: LeavePolicy },
): Promise<S> {
  const { abortSignal } = params;
  const stop = new AbortController();
  const waiting = waitIfAborted(abortSignal, stop, leave);
  const answered = Promise.resolve(
    model.doStream({ ...withBound(params, call), abortSignal: stop.signal }),
  ).then(
    (result) => {
      const parts = settledParts(result.stream, call, { leave, stop: (reason) => stop.abort(reason) });
      onAbort(abortSignal, (reason) => parts.leave(reason));
      return { ...result, stream: parts.stream };
    },
    (error: unknown) => {
      if (stop.signal.aborted || abortSignal?.aborted === true) call.cancel(null);
      else settleFailed(call, error);
      throw error;
    },
  );
  return untilAborted(
    answered.finally(() => waiting.clear()),
    abortSignal,
  );
}

/** The status of an answer that the SDK throws as an error. Null: there was none, or it is another error. */
function statusIn(error: unknown): number | null {
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === "number" ? statusCode : null;
}

/** An answer that the SDK could not read was billed all the same. */
function settleFailed(call: GovernedCall, error: unknown): void {
  const status = statusIn(error);
  if (status !== null && status >= 200 && status < 300) call.breakOff(null);
  else if (status === null ? wasLost(error) : isLostAnswer(status)) call.lose();
  else call.fail();
}

/** The SDK says of a connection that failed that the call may be made again, and of its own errors that it may not. */
function wasLost(error: unknown): boolean {
  return (error as { isRetryable?: unknown }).isRetryable === true && !wasNotSent(error);
}

/**
 * An error that the SDK throws before it sends anything, such as for a prompt that it cannot write, is no failure of a
 * provider.
 */
function failureIn(error: unknown): "unbilled" | "final" {
  const status = statusIn(error);
  if (status === null) return wasNotSent(error) ? "unbilled" : "final";
  const isAnswered = status >= 200 && status < 300;
  return !isAnswered && isProvidersFault(status, false) ? "unbilled" : "final";
}

function withBound<P extends CallParams>(params: P, { outputBound }: GovernedCall): P {
  const { abortSignal: _, ...rest } = params;
  const output = outputBound === null ? {} : { maxOutputTokens: outputBound };
  return { ...rest, ...withToolBounds(params, optionsIn(params)), ...output } as P;
}

async function settledAnswer<G extends { readonly usage: ReportedUsage }>(
  call: GovernedCall,
  send: () => PromiseLike<G>,
): Promise<G> {
  try {
    const result = await send();
    call.finish(readingOf(usageOf(result.usage)));
    return result;
  } catch (error) {
    settleFailed(call, error);
    throw error;
  }
}

/** A stream that is aborted before it begins is waited for as long as one that is left later. */
function waitIfAborted(
  aborted: AbortSignal | undefined,
  stop: AbortController,
  { graceMs, readsToEnd }: LeavePolicy,
): { clear(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasBegun = false;
  onAbort(aborted, (reason) => {
    if (!readsToEnd && !hasBegun) timer = setTimeout(() => stop.abort(reason), graceMs);
  });
  return {
    clear: () => {
      hasBegun = true;
      clearTimeout(timer);
    },
  };
}

function onAbort(signal: AbortSignal | undefined, listener: (reason: unknown) => void): void {
  if (signal?.aborted === true) listener(signal.reason);
  else signal?.addEventListener("abort", () => listener(signal.reason), { once: true });
}

/** The answer, or an error as soon as the caller aborts. The answer then goes on by itself. */
function untilAborted<T>(answered: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    onAbort(signal, (reason) => reject(reason));
    answered.then(resolve, reject);
  });
}
