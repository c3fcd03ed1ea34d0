import { compatible } from "../../providers/compatible.ts";
import { type MeteredCall, meter, meteringFrom, type SomeMetering } from "../../providers/metering.ts";
import type { FactsOfModel } from "../../providers/model-facts.ts";
import type { MeteredRequest } from "../../providers/provider-api.ts";
import { providerNamed } from "../../providers/table.ts";
import { begin, type Call, type CallFields, type CallGate, type GovernedCall } from "../governed-call.ts";

/** A model of the SDK. */
export interface CalledModel {
  readonly provider: string;
  readonly modelId: string;
}

export interface SluiceModelOptions<Params> extends SomeMetering {
  readonly gate: CallGate;
  /** Whom and what calls are for, such as `customer_id`, `workflow_id` or `tags`; or a function that says it for each call. */
  readonly ask?: CallFields | ((params: Params) => CallFields);
  /** The model's name in the price book. Default: the model's own id. */
  readonly model?: string;
  /** The end of a stream that the caller aborts: stopped after the grace (default), or read to its end. */
  readonly onLeave?: "stop" | "finish";
  /** How long a stream is read on after its caller has left. Default: 2,000. */
  readonly leaveGraceMs?: number;
  /** In a Worker: `(work) => ctx.waitUntil(work)`. */
  readonly waitUntil?: (work: Promise<unknown>) => void;
}

/** Asks for a call of a model. Rejects with what refused it, or with `Unmetered`. */
export function beginCall<Params>(
  options: SluiceModelOptions<Params>,
  called: { readonly model: CalledModel; readonly params: Params },
  read: (name: string, facts: FactsOfModel) => MeteredRequest,
): Promise<GovernedCall> {
  return begin(callOf(options, called, read));
}

/** A call of a model, to be asked for. Throws `Unmetered`. */
export function callOf<Params>(
  options: SluiceModelOptions<Params>,
  { model, params }: { readonly model: CalledModel; readonly params: Params },
  read: (name: string, facts: FactsOfModel) => MeteredRequest,
): Call {
  const { gate, waitUntil, ask } = options;
  const name = options.model ?? model.modelId;
  // Such as `openai` of `openai.responses`.
  const [provider = ""] = model.provider.split(".");
  const facts = (providerNamed(provider) ?? compatible).facts(name);
  const metered: MeteredCall = meter(read(name, facts), facts, meteringFrom(options));
  const { variant } = metered.request;
  const fields = typeof ask === "function" ? ask(params) : ask;
  const asked = { model: name, provider, ...(variant === null ? {} : { variant }), ...fields };
  const traceparent = headerIn(params, "traceparent");
  return { gate, waitUntil, metered, traceparent, ask: { ...asked, estimate: metered.estimate } };
}

/** A header that the caller gave the SDK for this call. */
function headerIn(params: unknown, name: string): string | undefined {
  const { headers } = params as { readonly headers?: Readonly<Record<string, string | undefined>> };
  return Object.entries(headers ?? {}).find(([given]) => given.toLowerCase() === name)?.[1];
}
