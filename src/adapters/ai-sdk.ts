import { begin, type CallFields, type CallGate, type GovernedCall } from "./governed-call.ts";
import { expectedOf } from "./estimate.ts";
import { isAbort } from "./settled-response.ts";
import { CountedText } from "./usage/counted-text.ts";
import type { Reading } from "./usage/reading.ts";
import { countOf, partsOf, type Usage } from "./usage/provider-usage.ts";

export { createGate, Refused, SluiceError, Unreachable } from "../client/gate/index.ts";

/** What the middleware reads of a call of the AI SDK. */
interface CallParams {
  readonly prompt?: unknown;
  readonly maxOutputTokens?: number | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

interface CalledModel {
  readonly provider: string;
  readonly modelId: string;
}

interface ToldUsage {
  readonly inputTokens: {
    readonly total: number | undefined;
    readonly cacheRead: number | undefined;
    readonly cacheWrite: number | undefined;
  };
  readonly outputTokens: { readonly total: number | undefined; readonly reasoning: number | undefined };
}

interface StreamPart {
  readonly type: string;
}

export interface SluiceMiddlewareOptions {
  readonly gate: CallGate;
  /** Whom and what calls are for, such as `customer_id`, `workflow_id` or `tags`; or a function that says it for each call. */
  readonly ask?: CallFields | ((params: CallParams) => CallFields);
  /** The model's name in the price book. Default: the model's own id. */
  readonly model?: string;
  /** In a Worker: `(work) => ctx.waitUntil(work)`. */
  readonly waitUntil?: (work: Promise<unknown>) => void;
}

interface Wrapped<Generated, Streamed> {
  readonly doGenerate: () => PromiseLike<Generated>;
  readonly doStream: () => PromiseLike<Streamed>;
  readonly params: CallParams;
  readonly model: CalledModel;
}

export interface SluiceMiddleware {
  readonly specificationVersion: "v4";
  wrapGenerate<G extends { readonly usage: ToldUsage }, S>(call: Wrapped<G, S>): Promise<G>;
  wrapStream<G, P extends StreamPart, S extends { stream: ReadableStream<P> }>(
    call: Wrapped<G, S>,
  ): Promise<S>;
}

/** Middleware for `wrapLanguageModel` that asks before each call and settles it when its answer ends. A refusal is thrown. */
export function sluiceMiddleware(options: SluiceMiddlewareOptions): SluiceMiddleware {
  return {
    specificationVersion: "v4",
    async wrapGenerate({ doGenerate, params, model }) {
      const call = await beginOf(options, { params, model, isStream: false });
      const result = await attempt(call, params, doGenerate);
      call.finish({ ...readingOf(result.usage, 0), isStream: false });
      return result;
    },
    async wrapStream({ doStream, params, model }) {
      const call = await beginOf(options, { params, model, isStream: true });
      const result = await attempt(call, params, doStream);
      return { ...result, stream: settledParts(result.stream, call) };
    },
  };
}

async function attempt<T>(call: GovernedCall, params: CallParams, send: () => PromiseLike<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (params.abortSignal?.aborted === true || isAbort(error)) call.cancel(null);
    else call.fail();
    throw error;
  }
}

function beginOf(
  { gate, ask, waitUntil, model: name }: SluiceMiddlewareOptions,
  { params, model, isStream }: { params: CallParams; model: CalledModel; isStream: boolean },
): Promise<GovernedCall> {
  const { prompt, maxOutputTokens } = params;
  const named = name ?? model.modelId;
  const body = { model: named, prompt, max_tokens: maxOutputTokens, stream: isStream };
  const expected = expectedOf("chat", body);
  const estimate = { input_tokens: expected.inputTokens, max_output_tokens: expected.maxOutputTokens };
  const fields = typeof ask === "function" ? ask(params) : ask;
  // Such as `openai` of `openai.responses`.
  const [provider] = model.provider.split(".");
  return begin({ gate, waitUntil, expected, ask: { model: named, provider, ...fields, estimate } });
}

function settledParts<P extends StreamPart>(
  stream: ReadableStream<P>,
  call: GovernedCall,
): ReadableStream<P> {
  const counted = new CountedText();
  let usage: ToldUsage | null = null;
  let hasFailed = false;
  const reading = () => ({ ...readingOf(usage, counted.tokens), hasFailed });
  const reader = stream.getReader();
  return new ReadableStream<P>(
    {
      async pull(controller) {
        let part: { done: boolean; value?: P | undefined };
        try {
          part = await reader.read();
        } catch (error) {
          if (isAbort(error)) call.cancel(reading());
          else call.breakOff(reading());
          throw error;
        }
        const { value } = part;
        if (part.done || value === undefined) {
          call.finish(reading());
          controller.close();
          return;
        }
        const told = value as { delta?: unknown; usage?: ToldUsage };
        counted.add(told.delta);
        hasFailed ||= value.type === "error";
        if (value.type === "finish") usage = told.usage ?? null;
        controller.enqueue(value);
      },
      cancel(reason) {
        call.cancel(reading());
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function readingOf(told: ToldUsage | null, countedOutput: number): Reading {
  const usage = told === null ? null : usageOf(told);
  const isDone = usage !== null;
  return { usage, isWhole: isDone, isStream: true, countedOutput, isDone, hasFailed: false };
}

function usageOf({ inputTokens, outputTokens }: ToldUsage): Usage | null {
  const input_tokens = countOf(inputTokens.total);
  const output_tokens = countOf(outputTokens.total);
  if (input_tokens === null || output_tokens === null) return null;
  const { cacheRead, cacheWrite } = inputTokens;
  return {
    input_tokens,
    output_tokens,
    ...partsOf(input_tokens, { cache_read_tokens: cacheRead, cache_write_tokens: cacheWrite }),
    ...partsOf(output_tokens, { reasoning_tokens: outputTokens.reasoning }),
  };
}
