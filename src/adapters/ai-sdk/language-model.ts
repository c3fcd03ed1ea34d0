import { type FallbackModel, callGoverned, type SluiceModelOptions } from "./governed-model.ts";
import type { CalledModel } from "./paused-call.ts";

/** The fields of a call of a language model, in every version of the SDK. */
export interface CallParams {
  readonly prompt?: unknown;
  readonly maxOutputTokens?: number | undefined;
  readonly tools?: unknown;
  readonly providerOptions?: unknown;
  readonly abortSignal?: AbortSignal | undefined;
}

export interface SluiceMiddlewareOptions extends SluiceModelOptions<CallParams> {
  /**
   * The model that a fallback of the organization goes on to, such as `({ model }) => openai(model)`. Without it, and where it
   * returns nothing, calls go on to no other model.
   */
  readonly fallbackModel?: FallbackModel;
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
  wrapGenerate<P extends CallParams, G, S>(call: WrappedCall<P, G, S>): Promise<G>;
  wrapStream<P extends CallParams, G, S>(call: WrappedCall<P, G, S>): Promise<S>;
}

/** Middleware for `wrapLanguageModel` that asks before each call and settles it when its answer ends. A refusal is thrown. */
export function sluiceMiddleware({ fallbackModel, ...options }: SluiceMiddlewareOptions): SluiceMiddleware {
  return {
    specificationVersion: "v4" as never,
    wrapGenerate: <P extends CallParams, G, S>({ model, params }: WrappedCall<P, G, S>) =>
      callGoverned(model, { method: "doGenerate", params, fallbackModel }, options) as Promise<G>,
    wrapStream: <P extends CallParams, G, S>({ model, params }: WrappedCall<P, G, S>) =>
      callGoverned(model, { method: "doStream", params, fallbackModel }, options) as Promise<S>,
  };
}
