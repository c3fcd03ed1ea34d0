/** Kinds of token that may have a rate of their own, each with the total that it is a part of. Append-only. */
export const TOKEN_CLASSES = {
  cache_read: "input",
  cache_write: "input",
  cache_write_1h: "input",
  audio_input: "input",
  image_input: "input",
  reasoning: "output",
  audio_output: "output",
  image_output: "output",
} as const;
export type TokenClass = keyof typeof TOKEN_CLASSES;
export type TokenTotal = "input" | "output";

export const TOKEN_CLASS_NAMES = /* @__PURE__ */ Object.keys(TOKEN_CLASSES) as readonly TokenClass[];

type PartField = `${TokenClass}_tokens`;

/** The fields of a usage that are parts of a total. Listed, because concatenated names are slow to look up. */
export const TOKEN_PARTS: readonly {
  readonly name: TokenClass;
  readonly field: PartField;
  readonly total: TokenTotal;
}[] = /* @__PURE__ */ TOKEN_CLASS_NAMES.map((name) => ({
  name,
  field: `${name}_tokens`,
  total: TOKEN_CLASSES[name],
}));

/** The usage of a run as callers report it: parts do not overlap, and are within their total. */
export type RunUsage = {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly units?: Readonly<Record<string, number>> | undefined;
} & { readonly [Class in TokenClass as `${Class}_tokens`]?: number | undefined };

/**
 * How many tokens a usage has of each class, in the order of the classes. Written out: a property is read by its own name several
 * times faster than by one in a variable, and this is done for every run.
 */
export function partCounts(usage: { readonly [Field in PartField]?: number | undefined }): number[] {
  return [
    usage.cache_read_tokens ?? 0,
    usage.cache_write_tokens ?? 0,
    usage.cache_write_1h_tokens ?? 0,
    usage.audio_input_tokens ?? 0,
    usage.image_input_tokens ?? 0,
    usage.reasoning_tokens ?? 0,
    usage.audio_output_tokens ?? 0,
    usage.image_output_tokens ?? 0,
  ];
}

/** The first part of a total that makes its parts exceed it. Null if they do not, or if the total is not known. */
export function partAbove(
  total: TokenTotal,
  usage: { readonly [Field in keyof RunUsage]?: unknown },
): PartField | null {
  let left = total === "input" ? usage.input_tokens : usage.output_tokens;
  if (typeof left !== "number") return null;
  for (const { field, total: own } of TOKEN_PARTS) {
    const part = usage[field];
    if (own !== total || typeof part !== "number") continue;
    left -= part;
    if (left < 0) return field;
  }
  return null;
}

/** The first part that makes the parts exceed their total. Null if they do not. */
export function partAboveTotal(usage: RunUsage): PartField | null {
  return partAbove("input", usage) ?? partAbove("output", usage);
}

/** Names of units and variants in a price. */
export const PRICE_NAME = /^[a-z0-9][a-z0-9_.-]{0,63}$/;
/** The variant with the plain rates. No price gives it a factor. */
export const STANDARD_VARIANT = "standard";
export const MOST_UNITS = 50;
export const MOST_TIERS = 10;
export const MOST_VARIANTS = 20;
