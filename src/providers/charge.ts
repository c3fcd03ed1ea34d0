import type { MeteredCall } from "./metering.ts";
import type { MeteredRequest, Units, Usage } from "./provider-api.ts";
import type { Reading } from "./usage/reading.ts";

/** The charge of a call. */
export interface Charge {
  readonly usage: Usage;
  /** Undefined if the price book prices the usage. */
  readonly cost_usd?: string | undefined;
  readonly variant?: string | undefined;
  readonly estimated: boolean;
}

/** The reservation of a call. */
export interface ReservedOutput {
  readonly outputTokens: number;
  /** True if the request carried that bound. Otherwise only the model's own maximum bounds its output. */
  readonly isBound: boolean;
  /** Undefined if nothing was reserved. */
  readonly amountUsd: string | undefined;
}

export interface EndedAnswer {
  /** Null if nothing came. */
  readonly reading: Reading | null;
  /** True if the answer ended by itself. It may have been left, stopped or broken off instead. */
  readonly isWhole: boolean;
}

/**
 * The charge of an answered call: as the provider says, as far as that can be true; else by the most that is known of it. Where
 * tokens may have been billed that nobody saw, that is what was reserved.
 */
export function chargeOf(
  metered: MeteredCall,
  reserved: ReservedOutput,
  ended: EndedAnswer,
  trustsCost: boolean,
): Charge {
  const { reading } = ended;
  if (metered.request.isBackground) return reservedCharge(metered, reserved);
  const isReported = reading !== null && reading.isWhole && (ended.isWhole || reading.isDone);
  if (isReported && !hidesClasses(metered.request, reading))
    return reportedCharge(metered, reserved, reading, trustsCost);
  return partialCharge(metered, reserved, reading);
}

/** Returns whether something may be billed above the rate of text that the usage does not tell from text. */
function hidesClasses({ hasCostlyInput, hasCostlyOutput }: MeteredRequest, reading: Reading): boolean {
  return (
    reading.usage !== null &&
    ((hasCostlyInput && reading.hidesInputClasses === true) ||
      (hasCostlyOutput && reading.hidesOutputClasses === true))
  );
}

function reportedCharge(
  metered: MeteredCall,
  reserved: ReservedOutput,
  reading: Reading,
  trustsCost: boolean,
): Charge {
  const { request } = metered;
  const floor = flooredUsage(metered, reading);
  const reported = believedUsage(metered, reserved, floor.usage);
  const units = believedUnits(request, reserved, reading.units);
  const isCut = reported.isCut || units.isCut || floor.isRaised;
  return {
    usage: withUnits(reported.usage, units.units),
    ...(trustsCost && reading.costUsd !== null && !isCut ? { cost_usd: reading.costUsd } : {}),
    ...reportedVariant(reading.variant, request.variant),
    estimated: isCut,
  };
}

/** No token of any model stands for more bytes of text. */
const MOST_BYTES_PER_TOKEN = 128;
const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0 };

/**
 * The usage that was told, and where it is less than what passed here must have, the most that this can be billed as: all that
 * was sent, and all that was counted. An answer has one token at least.
 */
function flooredUsage(
  { request, estimate }: MeteredCall,
  { usage, costUsd, countedOutput }: Reading,
): { usage: Usage; isRaised: boolean } {
  if (usage === null) return { usage: NO_USAGE, isRaised: costUsd === null };
  const leastInput = request.inputTokens === 0 ? 0 : Math.max(1, leastTokensIn(request.texts));
  const leastOutput =
    request.outputBound === null ? 0 : Math.max(1, Math.ceil(countedOutput / MOST_BYTES_PER_TOKEN));
  const isInputRaised = usage.input_tokens < leastInput;
  const isOutputRaised = usage.output_tokens < leastOutput;
  if (!isInputRaised && !isOutputRaised) return { usage, isRaised: false };
  const raised = {
    ...usage,
    ...(isInputRaised ? { input_tokens: estimate.input_tokens } : {}),
    ...(isOutputRaised ? { output_tokens: Math.max(1, countedOutput) } : {}),
  };
  return { usage: raised, isRaised: true };
}

function leastTokensIn(texts: readonly string[]): number {
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  return Math.ceil(characters / MOST_BYTES_PER_TOKEN);
}

/** Tiers below the standard price. A host that does not know them serves the standard one, and names none. */
const DISCOUNTS: ReadonlySet<string> = new Set(["flex"]);

/** The tier that a call is reserved at: the standard one, unless its own is no cheaper. */
export function reservedVariant({ variant }: Pick<MeteredRequest, "variant">): string | null {
  return variant !== null && DISCOUNTS.has(variant) ? null : variant;
}

/** A request for a tier may be served at another, and is billed by that. */
function reportedVariant(reported: string | null, asked: string | null): { variant?: string | undefined } {
  if (reported === null)
    return reservedVariant({ variant: asked }) === null ? {} : { variant: asked ?? undefined };
  if (reported !== "standard") return { variant: reported };
  return asked === null ? {} : { variant: undefined };
}

/** No answer has more output than its bound, and no model reads more than its context. */
function believedUsage(
  { request, facts }: MeteredCall,
  { outputTokens, isBound }: ReservedOutput,
  reported: Usage,
): { usage: Usage; isCut: boolean } {
  const answers = request.outputBound?.answers ?? 1;
  const mostOutput = isBound ? outputTokens : Math.max(outputTokens, facts.outputTokens * answers);
  const input_tokens = Math.min(reported.input_tokens, facts.contextTokens * answers);
  const output_tokens = Math.min(reported.output_tokens, mostOutput);
  const isCut = input_tokens < reported.input_tokens || output_tokens < reported.output_tokens;
  return { usage: isCut ? { input_tokens, output_tokens } : reported, isCut };
}

/** More pieces than any request allows. */
const MOST_UNITS = 1000;

/**
 * Units beyond what the request allowed cannot be true, unless nobody here has seen the request. Units that are not told are
 * taken for all that it allowed.
 */
function believedUnits(
  { units: allowed, startedUnits, billedAs }: MeteredRequest,
  { isBound }: ReservedOutput,
  reported: Units | null,
): { units: Units; isCut: boolean } {
  if (reported === null) return { units: allowed, isCut: false };
  let isCut = false;
  const units = new Map(Object.entries(startedUnits));
  for (const [toldName, count] of Object.entries(reported)) {
    const name = billedAs[toldName] ?? toldName;
    const most = isBound ? (allowed[name] ?? 0) : Math.max(allowed[name] ?? 0, MOST_UNITS);
    isCut ||= count > most;
    const believed = Math.max(units.get(name) ?? 0, Math.min(count, most));
    if (believed > 0) units.set(name, believed);
  }
  return { units: Object.fromEntries(units), isCut };
}

function partialCharge(metered: MeteredCall, reserved: ReservedOutput, reading: Reading | null): Charge {
  const { request, estimate } = metered;
  const isStream = reading?.isStream ?? request.isStream;
  const hidesOutput = request.hidesOutput || request.hasCostlyOutput || reading?.hasUncounted === true;
  const tellsInput = reading !== null && reading.usage !== null && reading.hidesInputClasses !== true;
  const hidesInput = request.unseenInput !== null || (request.hasCostlyInput && !tellsInput);
  const isSeen = isStream && !hidesOutput && !hidesInput;
  if (!isSeen) return reservedCharge(metered, reserved);
  const reported = reading?.usage ?? { input_tokens: estimate.input_tokens, output_tokens: 0 };
  const counted = Math.max(reported.output_tokens, reading?.countedOutput ?? 0);
  const { usage } = believedUsage(metered, reserved, { ...reported, output_tokens: counted });
  const variant = reportedVariant(reading?.variant ?? null, request.variant);
  return { usage: withUnits(usage, request.units), ...variant, estimated: true };
}

function reservedCharge(metered: MeteredCall, { outputTokens, amountUsd }: ReservedOutput): Charge {
  const { estimate, request } = metered;
  const usage = { input_tokens: estimate.input_tokens, output_tokens: outputTokens };
  return {
    usage: withUnits(usage, request.units),
    cost_usd: amountUsd,
    ...variantOf(metered),
    estimated: true,
  };
}

function variantOf({ request }: MeteredCall): { variant?: string } {
  const variant = reservedVariant(request);
  return variant === null ? {} : { variant };
}

function withUnits(usage: Usage, units: Units): Usage {
  return Object.keys(units).length === 0 ? usage : { ...usage, units };
}
