import type { DecisionsDecideBody } from "../client/generated/types.ts";
import type { SettledRun } from "../client/gate/embedded-gate.ts";
import type { Expected } from "./estimate.ts";
import { begin, type CallGate, type GovernedCall } from "./governed-call.ts";
import { type Dialect, refusalOf, refusalResponse } from "./refusal-response.ts";
import { settledBody } from "./settled-response.ts";

export { createGate, Refused, SluiceError, Unreachable } from "../client/gate/index.ts";

/** What the middleware uses of Hono's context. */
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

/** What a handler finds as `c.get("sluice")`. */
export interface SluiceCall {
  readonly reservation: { readonly id: string; readonly amount_usd: string } | null;
  readonly runId: string;
  /** Settles the call with what the handler knows of it, in place of what its answer says. */
  settle(run: Pick<SettledRun, "usage"> & Partial<SettledRun>): void;
}

/** For `new Hono<{ Variables: SluiceVariables }>()`. */
export interface SluiceVariables {
  sluice: SluiceCall;
}

export interface GovernOptions<C> {
  readonly gate: CallGate;
  /** What the request asks to spend. */
  readonly ask: (context: C) => DecisionsDecideBody | Promise<DecisionsDecideBody>;
  /** How refusals are written: for the SDKs of OpenAI (default) or of Anthropic. */
  readonly dialect?: Dialect;
}

/**
 * Middleware that asks before the handler runs and settles the call when its response ends: by what the handler said, else by
 * the provider's usage in the response's body, else by what was reserved.
 */
export function govern<C extends GovernedContext>({ gate, ask, dialect = "openai" }: GovernOptions<C>) {
  return async (context: C, next: () => Promise<void>): Promise<Response | undefined> => {
    const asked = await ask(context);
    const waitUntil = waitUntilOf(context);
    let call: GovernedCall;
    try {
      call = await begin({ gate, ask: asked, expected: expectedFrom(asked), waitUntil });
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      return refusalResponse(refusal, dialect);
    }
    context.set("sluice" as never, handle(call) as never);
    try {
      await next();
    } catch (error) {
      call.fail();
      throw error;
    }
    settleAfter(context, call);
    return undefined;
  };
}

function handle(call: GovernedCall): SluiceCall {
  return {
    reservation: call.allowed.reservation,
    runId: call.runId,
    settle: (run) => call.settle(run),
  };
}

function settleAfter(context: GovernedContext, call: GovernedCall): void {
  if (call.hasEnded) return;
  const { res } = context;
  if (context.error !== undefined || !res.ok) call.fail();
  else if (res.body === null) call.finish(null);
  else {
    const body = settledBody(res.body, res.headers, call);
    context.res = new Response(body, res);
  }
}

/** An estimate in tokens says what is known of the input. */
function expectedFrom({ model, estimate }: DecisionsDecideBody): Expected | null {
  if (model === undefined) return null;
  const { input_tokens = 0, max_output_tokens } = estimate;
  return {
    model,
    isStream: false,
    inputTokens: input_tokens,
    likelyInputTokens: input_tokens,
    maxOutputTokens: max_output_tokens,
  };
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
