import type { FactsOfModel } from "./model-facts.ts";
import { USUAL_HOSTED_TOOL_PASSES } from "./apis/request-members.ts";
import { hasNoUnits } from "../domain/price/unpriced.ts";
import type { MaxPrice, MeteredRequest, Units } from "./provider-api.ts";
import { Unmetered } from "./unmetered.ts";

/** How requests are bounded. */
export interface MeteringOptions {
  /** The bound of an answer whose request sets none. */
  readonly defaultMaxOutputTokens: number;
  /** Input that the body does not show: reserved at the largest context of the model, or refused. */
  readonly unseenInput: "reserve" | "refuse";
  /** Work that goes on after its answer: refused, or charged at all that was reserved. */
  readonly background: "refuse" | "reserve";
  /** How often an answer with hosted tools may read its context where the request sets no bound. */
  readonly hostedToolPasses: number;
}

/** Options of which some may be left out. */
export type SomeMetering = { readonly [Name in keyof MeteringOptions]?: MeteringOptions[Name] | undefined };

export function meteringFrom(options: SomeMetering): MeteringOptions {
  return {
    defaultMaxOutputTokens: options.defaultMaxOutputTokens ?? 16_384,
    unseenInput: options.unseenInput ?? "reserve",
    background: options.background ?? "refuse",
    hostedToolPasses: options.hostedToolPasses ?? USUAL_HOSTED_TOOL_PASSES,
  };
}

/** An answer that is shorter than this is of no use, so none is asked for. */
const LEAST_OUTPUT_TOKENS = 256;
const MOST_TOKENS = 1_000_000_000_000;

/**
 * The estimate that a decision is asked for: units, and as many output tokens as there is room for, from the least to
 * the most.
 */
export interface CallEstimate {
  readonly input_tokens: number;
  readonly max_output_tokens: number;
  /** Only where the bound is ours to choose. */
  readonly min_output_tokens?: number;
  /** Only where something is billed beside tokens. */
  readonly units?: Units;
}

/** A request, what is known of its model, and what it may cost. */
export interface MeteredCall {
  readonly request: MeteredRequest;
  readonly facts: FactsOfModel;
  readonly estimate: CallEstimate;
}

/** Throws `Unmetered` where the options refuse the request. */
export function meter(request: MeteredRequest, facts: FactsOfModel, options: MeteringOptions): MeteredCall {
  const { unseenInput, fixedOutputTokens, outputBound, isBackground } = request;
  if (isBackground && options.background === "refuse")
    throw new Unmetered(403, '"background" is not allowed here, because its cost is not known in time.');
  if (unseenInput !== null && options.unseenInput === "refuse")
    throw new Unmetered(
      403,
      `${unseenInput} is not allowed here, because it brings input that the body does not show.`,
    );
  const answers = outputBound?.answers ?? 1;
  const context = mostInput(request, facts);
  const input_tokens = Math.min(
    MOST_TOKENS,
    (unseenInput === null ? Math.min(context, request.inputTokens) : context) +
      searchInput(request, request.units),
  );
  const perAnswer = boundOf(request, facts, options);
  const max_output_tokens = perAnswer * answers + fixedOutputTokens;
  if (max_output_tokens > MOST_TOKENS) throw new Unmetered(400, "The bound on the output is too large.");
  const isOurs =
    outputBound !== null && outputBound.perAnswer === null && outputBound.usualPerAnswer === null;
  const least = Math.min(LEAST_OUTPUT_TOKENS, perAnswer) * answers + fixedOutputTokens;
  return {
    request,
    facts,
    estimate: {
      input_tokens,
      max_output_tokens,
      ...(isOurs ? { min_output_tokens: least } : {}),
      ...(hasNoUnits(request.units) ? {} : { units: request.units }),
    },
  };
}

/** The input that searches are billed beside what the usage tells. */
export function searchInput({ inputPerSearch }: MeteredRequest, { web_search: searches = 0 }: Units): number {
  return inputPerSearch * searches;
}

/** No model reads more than its context at once. */
export function mostInput({ outputBound, passes }: MeteredRequest, facts: FactsOfModel): number {
  return facts.contextTokens * (outputBound?.answers ?? 1) * passes;
}

/** The most output tokens of one answer, before limits are asked. */
function boundOf({ outputBound }: MeteredRequest, facts: FactsOfModel, options: MeteringOptions): number {
  if (outputBound === null) return 0;
  const { perAnswer, usualPerAnswer } = outputBound;
  return perAnswer ?? Math.min(usualPerAnswer ?? options.defaultMaxOutputTokens, facts.outputTokens);
}

/** The bound to write into the body, from the output tokens that were reserved. Null if the caller's own stands. */
export function boundToWrite(
  { request, estimate }: MeteredCall,
  reservedOutput: number | undefined,
): number | null {
  const { outputBound, fixedOutputTokens } = request;
  if (outputBound === null || outputBound.perAnswer !== null) return null;
  const reserved = Math.min(reservedOutput ?? estimate.max_output_tokens, estimate.max_output_tokens);
  return Math.max(1, Math.floor((reserved - fixedOutputTokens) / outputBound.answers));
}

const MICROS = 1e6;

/**
 * The dearest rates that a host may have. A reservation does not say its rates, so each side gets all of it: the rates that it was made
 * at are within, and a host within costs at most twice as much.
 */
export function maxPriceOf(
  { estimate }: MeteredCall,
  {
    amount_usd,
    max_output_tokens,
  }: { readonly amount_usd: string; readonly max_output_tokens?: number | undefined },
): MaxPrice | null {
  const amount = Number(amount_usd);
  const output = Math.min(max_output_tokens ?? estimate.max_output_tokens, estimate.max_output_tokens);
  // Rounded up to whole millionths of a dollar, in favour of the rate that was reserved.
  const rate = (tokens: number) => Math.ceil((amount / Math.max(1, tokens)) * MICROS * MICROS) / MICROS;
  return amount > 0 ? { prompt: rate(estimate.input_tokens), completion: rate(output) } : null;
}
