import type { DecisionsDecideBody } from "../client/generated/types.ts";
import { SluiceError } from "../client/errors.ts";
import type { SettledRun } from "../client/gate/embedded-gate.ts";
import { anyAnswer } from "../providers/any-answer.ts";
import { PLAIN } from "../providers/apis/request-members.ts";
import { findProviderRoute } from "../providers/by-url.ts";
import { type MeteredCall, meter, meteringFrom } from "../providers/metering.ts";
import { factsOf } from "../providers/model-facts.ts";
import type { AnswerApi } from "../providers/provider-api.ts";
import { providerNamed } from "../providers/table.ts";
import { answerReader } from "../providers/usage/reading.ts";
import { anthropicError, openAiError } from "../providers/wire-refusal.ts";
import { begin, type CallGate, type GovernedCall } from "./governed-call.ts";
import { refusalOf, refusalResponse } from "./refusal-response.ts";
import { settledBody, USUAL_LEAVE } from "./settled-body.ts";

export { createGate, Refused, SluiceError, Unreachable } from "../client/gate/index.ts";

/** The part of Hono's context that the middleware uses. */
export interface GovernedContext {
  readonly req: {
    readonly path: string;
    readonly method: string;
    readonly url: string;
    readonly raw: Request;
    header(name: string): string | undefined;
    query(name: string): string | undefined;
    json(): Promise<unknown>;
    text(): Promise<string>;
  };
  res: Response;
  error: Error | undefined;
  readonly executionCtx: { waitUntil(work: Promise<unknown>): void };
  set(name: never, value: never): void;
}

/** The object that a handler finds as `c.get("sluice")`. */
export interface SluiceCall {
  readonly reservation: { readonly id: string; readonly amount_usd: string } | null;
  readonly runId: string;
  /** The bound to send with the call to the provider. Null: the ask has one, or is in dollars. */
  readonly maxOutputTokens: number | null;
  /** Settles the call with what the handler knows of it, in place of what its answer says. */
  settle(run: Pick<SettledRun, "usage"> & Partial<SettledRun>): void;
}

/** For `new Hono<{ Variables: SluiceVariables }>()`. */
export interface SluiceVariables {
  sluice: SluiceCall;
}

export interface GovernOptions<C> {
  readonly gate: CallGate;
  /** The decision that the request asks for. */
  readonly ask: (context: C) => DecisionsDecideBody | Promise<DecisionsDecideBody>;
  /** How refusals are written: for the SDKs of OpenAI (default) or of Anthropic. */
  readonly dialect?: "openai" | "anthropic";
  /** The bound of answers whose ask has none. Default: 16,384. */
  readonly defaultMaxOutputTokens?: number;
  /**
   * The address that the handler calls, such as `https://api.cohere.com/v2/chat`, by whose API its answers are read. Default: by
   * their shape. An answer of no known shape is charged at what was reserved.
   */
  readonly upstream?: string;
}

/**
 * Middleware that asks before the handler runs and settles the call when its response ends: by what the handler said, else by
 * the provider's usage in the response's body, else by what was reserved.
 */
export function govern<C extends GovernedContext>(options: GovernOptions<C>) {
  const { gate, ask, dialect = "openai", defaultMaxOutputTokens, upstream } = options;
  const api = upstream === undefined ? anyAnswer : apiAt(upstream);
  return async (context: C, next: () => Promise<void>): Promise<Response | undefined> => {
    const asked = await ask(context);
    const waitUntil = waitUntilOf(context);
    const metered = meteredAsk(asked, defaultMaxOutputTokens);
    const estimate = { ...metered?.estimate, ...asked.estimate };
    let call: GovernedCall;
    try {
      // The handler makes the call, so nobody here can write the bound into it.
      const traceparent = context.req.header("traceparent");
      call = await begin({
        gate,
        ask: { ...asked, estimate },
        metered,
        isBound: false,
        waitUntil,
        traceparent,
      });
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      return refusalResponse(refusal, dialect === "openai" ? openAiError : anthropicError);
    }
    context.set("sluice" as never, handle(call) as never);
    try {
      await next();
    } catch (error) {
      call.fail();
      throw error;
    }
    settleAfter(context, call, api);
    return undefined;
  };
}

function apiAt(upstream: string): AnswerApi {
  const { route } = findProviderRoute("POST", new URL(upstream), undefined);
  if (route.kind === "metered") return route.api;
  throw new SluiceError(`upstream must be the address of a call that is metered, and ${upstream} is not`);
}

function handle(call: GovernedCall): SluiceCall {
  return {
    reservation: call.allowed.reservation,
    runId: call.runId,
    maxOutputTokens: call.outputBound,
    settle: (run) => call.settle(run),
  };
}

function settleAfter(context: GovernedContext, call: GovernedCall, api: AnswerApi): void {
  if (call.hasEnded) return;
  const { res } = context;
  if (context.error !== undefined || !res.ok) call.fail();
  else if (res.body === null) call.finish(null);
  else {
    const reader = answerReader(api, res.headers.get("content-type"));
    const leave = USUAL_LEAVE;
    const { readable } = settledBody(res.body, { call, reader, leave, stop: () => undefined });
    context.res = new Response(readable, res);
  }
}

/** The known usage of the call. Null: the ask is in dollars alone, and that is what it costs. */
function meteredAsk(
  asked: DecisionsDecideBody,
  defaultMaxOutputTokens: number | undefined,
): MeteredCall | null {
  const { model, provider = "", estimate } = asked;
  if (model === undefined) return null;
  const { input_tokens = 0, max_output_tokens: perAnswer = null, units = {} } = estimate;
  const facts = providerNamed(provider)?.facts(model) ?? factsOf([], model);
  const writes = perAnswer !== 0 && facts.outputTokens > 0;
  const request = {
    ...PLAIN,
    model,
    inputTokens: input_tokens,
    hidesOutput: facts.reasons,
    outputBound: writes ? { perAnswer, usualPerAnswer: null, answers: 1 } : null,
    units,
  };
  const metered = meter(request, facts, meteringFrom({ defaultMaxOutputTokens }));
  // An amount in dollars is reserved as it is.
  const { min_output_tokens: _, ...exact } = metered.estimate;
  return estimate.cost_usd === undefined ? metered : { ...metered, estimate: exact };
}

/** Hono has an execution context in Workers, and throws elsewhere. */
function waitUntilOf(context: GovernedContext): ((work: Promise<unknown>) => void) | undefined {
  try {
    const { executionCtx } = context;
    return (work) => executionCtx.waitUntil(work);
  } catch {
    return undefined;
  }
}
