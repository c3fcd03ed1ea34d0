import { type LeavePolicy, USUAL_LEAVE } from "../settled-body.ts";
import type { GovernedCall } from "../governed-call.ts";
import { beginCall, type CalledModel, type SluiceModelOptions } from "./asked.ts";
import { type CallParams, meteredParams, optionsIn } from "./call-params.ts";
import { withToolBounds } from "./hosted-tools.ts";
import { settledParts, type StreamPart } from "./settled-parts.ts";
import { readingOf, type ToldUsage, usageOf } from "./told-usage.ts";

export type SluiceMiddlewareOptions = SluiceModelOptions<CallParams>;

interface LanguageModel<P, Generated, Streamed> extends CalledModel {
  doGenerate(params: P): PromiseLike<Generated>;
  doStream(params: P): PromiseLike<Streamed>;
}

interface Wrapped<P, Generated, Streamed> {
  readonly params: P;
  readonly model: LanguageModel<P, Generated, Streamed>;
}

export interface SluiceMiddleware {
  /** Each version of the SDK names its own here, and none of them reads it. */
  readonly specificationVersion: never;
  wrapGenerate<P extends CallParams, G extends { readonly usage: ToldUsage }, S>(
    call: Wrapped<P, G, S>,
  ): Promise<G>;
  wrapStream<P extends CallParams, G, Part extends StreamPart, S extends { stream: ReadableStream<Part> }>(
    call: Wrapped<P, G, S>,
  ): Promise<S>;
}

/** Middleware for `wrapLanguageModel` that asks before each call and settles it when its answer ends. A refusal is thrown. */
export function sluiceMiddleware(options: SluiceMiddlewareOptions): SluiceMiddleware {
  const { onLeave, leaveGraceMs: graceMs = USUAL_LEAVE.graceMs } = options;
  const leave: LeavePolicy = { graceMs, readsToEnd: onLeave === "finish" };
  const ask = (called: Wrapped<CallParams, unknown, unknown>, isStream: boolean) =>
    beginCall(options, called, (name, facts) => meteredParams(name, called.params, facts, isStream));
  return {
    specificationVersion: "v4" as never,
    async wrapGenerate(called) {
      const call = await ask(called, false);
      options.waitUntil?.(call.ended);
      // Only the end of the answer says what it costs, so it is waited for, also if its caller no longer wants it.
      const answered = settledAnswer(call, () => called.model.doGenerate(withBound(called.params, call)));
      return untilAborted(answered, called.params.abortSignal);
    },
    async wrapStream(called) {
      const call = await ask(called, true);
      options.waitUntil?.(call.ended);
      const { abortSignal } = called.params;
      const stop = new AbortController();
      const params = { ...withBound(called.params, call), abortSignal: stop.signal };
      const waiting = waitIfAborted(abortSignal, stop, leave);
      const answered = Promise.resolve(called.model.doStream(params)).then(
        (result) => {
          const parts = settledParts(result.stream, call, { leave, stop: (reason) => stop.abort(reason) });
          onAbort(abortSignal, (reason) => parts.leave(reason));
          return { ...result, stream: parts.stream };
        },
        (error: unknown) => {
          if (stop.signal.aborted || abortSignal?.aborted === true) call.cancel(null);
          else call.fail();
          throw error;
        },
      );
      return untilAborted(
        answered.finally(() => waiting.clear()),
        abortSignal,
      );
    },
  };
}

function withBound<P extends CallParams>(params: P, { outputBound }: GovernedCall): P {
  const { abortSignal: _, ...rest } = params;
  const output = outputBound === null ? {} : { maxOutputTokens: outputBound };
  return { ...rest, ...withToolBounds(params, optionsIn(params)), ...output } as P;
}

async function settledAnswer<G extends { readonly usage: ToldUsage }>(
  call: GovernedCall,
  send: () => PromiseLike<G>,
): Promise<G> {
  try {
    const result = await send();
    call.finish(readingOf(usageOf(result.usage)));
    return result;
  } catch (error) {
    call.fail();
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
