import { TOKEN_PARTS } from "../contract/token-classes.ts";
import { type MeteredCall, mostInput, searchInput } from "./metering.ts";
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
  /** True if it came from an address that is not the provider's own. */
  readonly isOtherHost: boolean;
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
    return reportedCharge(metered, reserved, { ...ended, reading }, trustsCost);
  return partialCharge(metered, reserved, ended);
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
  { reading, isOtherHost }: EndedAnswer & { readonly reading: Reading },
  trustsCost: boolean,
): Charge {
  const { request } = metered;
  const floor = flooredUsage(metered, reserved, reading);
  const reported = isOtherHost
    ? cutUsage(metered, reserved, floor.usage)
    : { usage: floor.usage, isCut: false };
  const units = believedUnits(request, reserved, reading.units, isOtherHost);
  const isCut = reported.isCut || units.isCut || floor.isRaised;
  const found = searchInput(request, units.units);
  const usage = { ...reported.usage, input_tokens: reported.usage.input_tokens + found };
  return {
    usage: withUnits(usage, units.units),
    ...(trustsCost && reading.costUsd !== null && !isCut ? { cost_usd: reading.costUsd } : {}),
    ...reportedVariant(reading.variant, request.variant),
    estimated: isCut || found > 0 || mayHideTiers(metered, usage),
  };
}

/** No model has a dearer rate for shorter input. */
const LONG_INPUT_TOKENS = 200_000;

/** A price tier is chosen by the input of each pass, and the usage is the sum of all: priced as one, it is no less. */
function mayHideTiers({ request, facts }: MeteredCall, { input_tokens: input }: Usage): boolean {
  return request.passes > 1 && Math.min(facts.contextTokens, input) > LONG_INPUT_TOKENS;
}

/** No token of any model stands for more bytes of text. */
const MOST_BYTES_PER_TOKEN = 128;
const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0 };

/**
 * The usage that was told, and where it is less than what passed here must have, the most that this can be billed as: all that
 * was sent, and all that was counted. An answer has one token at least.
 */
function flooredUsage(
  metered: MeteredCall,
  reserved: ReservedOutput,
  { usage, costUsd, countedOutput }: Reading,
): { usage: Usage; isRaised: boolean } {
  const { request, estimate } = metered;
  if (usage === null) return { usage: NO_USAGE, isRaised: costUsd === null };
  const leastInput = request.inputTokens === 0 ? 0 : Math.max(1, leastTokensIn(request.texts));
  const leastOutput =
    request.outputBound === null ? 0 : Math.max(1, Math.ceil(countedOutput / MOST_BYTES_PER_TOKEN));
  const isInputRaised = usage.input_tokens < leastInput;
  const isOutputRaised = usage.output_tokens < leastOutput;
  if (!isInputRaised && !isOutputRaised) return { usage, isRaised: false };
  // The count is an upper estimate, and no answer that keeps to its bound has more.
  const most = Math.max(1, Math.min(countedOutput, mostOutput(metered, reserved)));
  const raised = {
    ...usage,
    ...(isInputRaised ? { input_tokens: estimate.input_tokens } : {}),
    ...(isOutputRaised ? { output_tokens: Math.max(usage.output_tokens, most) } : {}),
  };
  return { usage: raised, isRaised: true };
}

function leastTokensIn(texts: readonly string[]): number {
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  return Math.ceil(characters / MOST_BYTES_PER_TOKEN);
}

/** Tiers below the standard price. A host that does not know them serves the standard one, and names none. */
const DISCOUNTS: ReadonlySet<string> = new Set(["batch", "flex"]);

/** The tier that a call is reserved at: the standard one, unless its own is no cheaper. */
export function reservedVariant({ variant }: Pick<MeteredRequest, "variant">): string | null {
  return variant !== null && DISCOUNTS.has(variant) ? null : variant;
}

/** A request for a tier may be served at another, and is billed by that. */
function reportedVariant(reported: string | null, asked: string | null): { variant?: string | undefined } {
  if (reported === null)
    return reservedVariant({ variant: asked }) === null ? {} : { variant: asked ?? undefined };
  // Nobody gives a discount that was not asked for.
  const isUnasked = DISCOUNTS.has(reported) && reported !== asked;
  if (reported !== "standard" && !isUnasked) return { variant: reported };
  return asked === null ? {} : { variant: undefined };
}

/**
 * The usage that a host of which nothing is known can claim: no answer has more output than its bound, and no model reads more than
 * its context in each pass. What is above that is taken off all classes in proportion.
 */
function cutUsage(
  metered: MeteredCall,
  reserved: ReservedOutput,
  reported: Usage,
): { usage: Usage; isCut: boolean } {
  const input = Math.min(reported.input_tokens, mostInput(metered.request, metered.facts));
  const output = Math.min(reported.output_tokens, mostOutput(metered, reserved));
  const isCut = input < reported.input_tokens || output < reported.output_tokens;
  if (!isCut) return { usage: reported, isCut };
  const classes = TOKEN_PARTS.flatMap(({ field, total }) => {
    const count = reported[field];
    if (count === undefined) return [];
    const [part, whole] =
      total === "input" ? [input, reported.input_tokens] : [output, reported.output_tokens];
    return [[field, shareOf(count, part, whole)] as const];
  });
  const parts: Partial<Usage> = Object.fromEntries(classes);
  return { usage: { ...parts, input_tokens: input, output_tokens: output }, isCut };
}

function mostOutput({ request, facts }: MeteredCall, { outputTokens, isBound }: ReservedOutput): number {
  return isBound
    ? outputTokens
    : Math.max(outputTokens, facts.outputTokens * (request.outputBound?.answers ?? 1));
}

/** The product may have more digits than a number holds. */
function shareOf(count: number, part: number, whole: number): number {
  return whole === 0 ? 0 : Number((BigInt(count) * BigInt(part)) / BigInt(whole));
}

/** More pieces than any request allows. */
const MOST_UNITS = 1000;

/**
 * Units beyond what the request allowed are not believed of a host of which nothing is known, unless nobody here has seen the
 * request. Units that are not told are taken for all that it allowed.
 */
function believedUnits(
  { units: allowed, startedUnits, billedAs }: MeteredRequest,
  { isBound }: ReservedOutput,
  reported: Units | null,
  isOtherHost: boolean,
): { units: Units; isCut: boolean } {
  if (reported === null) return { units: allowed, isCut: (allowed["web_search"] ?? 0) > 1 };
  let isCut = false;
  const units = new Map(Object.entries(startedUnits));
  for (const [toldName, count] of Object.entries(reported)) {
    const name = billedAs[toldName] ?? toldName;
    const own = isOtherHost ? (allowed[name] ?? 0) : count;
    const most = isBound ? own : Math.max(own, MOST_UNITS);
    isCut ||= count > most;
    const believed = Math.max(units.get(name) ?? 0, Math.min(count, most));
    if (believed > 0) units.set(name, believed);
  }
  return { units: Object.fromEntries(units), isCut };
}

function partialCharge(
  metered: MeteredCall,
  reserved: ReservedOutput,
  { reading, isOtherHost }: EndedAnswer,
): Charge {
  const { request, estimate } = metered;
  const isStream = reading?.isStream ?? request.isStream;
  // A provider that broke off by itself bills no more than it showed.
  const mayHide = request.hidesOutput && reading?.hasFailed !== true;
  const hidesOutput = mayHide || request.hasCostlyOutput || reading?.hasUncounted === true;
  const tellsInput = reading !== null && reading.usage !== null && reading.hidesInputClasses !== true;
  const hidesInput = request.unseenInput !== null || (request.hasCostlyInput && !tellsInput);
  const isSeen = isStream && !hidesOutput && !hidesInput;
  if (!isSeen) return reservedCharge(metered, reserved);
  const reported = reading?.usage ?? { input_tokens: estimate.input_tokens, output_tokens: 0 };
  // The count is an upper estimate, and the bound is none.
  const counted = Math.min(reading?.countedOutput ?? 0, mostOutput(metered, reserved));
  const said = { ...reported, output_tokens: Math.max(reported.output_tokens, counted) };
  const { usage } = isOtherHost ? cutUsage(metered, reserved, said) : { usage: said };
  const variant = reportedVariant(reading?.variant ?? null, request.variant);
  return { usage: withUnits(usage, request.units), ...variant, estimated: true };
}

/** The charge of a call of which nobody knows what it was billed. */
export function reservedCharge(metered: MeteredCall, { outputTokens, amountUsd }: ReservedOutput): Charge {
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
