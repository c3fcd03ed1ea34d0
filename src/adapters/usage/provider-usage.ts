import type { RunInput } from "../../client/generated/types.ts";

export type Usage = RunInput["usage"];

type Fields = Readonly<Record<string, unknown>>;

/** More than any model reads or writes. */
const MOST_TOKENS = 1_000_000_000_000;

/**
 * What a provider's own usage says in our classes: totals, and parts that do not overlap. Null: it says nothing that can be
 * believed. Reads the usage of chat completions, responses, embeddings and messages.
 */
export function usageIn(value: unknown): Usage | null {
  if (!isObject(value)) return null;
  if ("prompt_tokens" in value) return openAiUsage(value, "prompt", "completion");
  if (!("input_tokens" in value)) return null;
  const isAnthropic =
    "cache_read_input_tokens" in value ||
    "cache_creation_input_tokens" in value ||
    "server_tool_use" in value;
  return isAnthropic ? anthropicUsage(value) : openAiUsage(value, "input", "output");
}

function openAiUsage(
  usage: Fields,
  input: "prompt" | "input",
  output: "completion" | "output",
): Usage | null {
  const totals = totalsOf(usage[`${input}_tokens`], usage[`${output}_tokens`] ?? 0);
  if (totals === null) return null;
  const given = usage[`${input}_tokens_details`];
  const taken = usage[`${output}_tokens_details`];
  if (!isObject(given) && !isObject(taken)) return totals;
  const inputs = fieldsOf(given);
  const outputs = fieldsOf(taken);
  return {
    ...totals,
    ...partsOf(totals.input_tokens, {
      cache_read_tokens: inputs["cached_tokens"],
      audio_input_tokens: inputs["audio_tokens"],
      image_input_tokens: inputs["image_tokens"],
    }),
    ...partsOf(totals.output_tokens, {
      reasoning_tokens: outputs["reasoning_tokens"],
      audio_output_tokens: outputs["audio_tokens"],
      image_output_tokens: outputs["image_tokens"],
    }),
  };
}

/** Its `input_tokens` are those that no cache had to do with. */
function anthropicUsage(usage: Fields): Usage | null {
  const created = fieldsOf(usage["cache_creation"]);
  const written = countOf(usage["cache_creation_input_tokens"]) ?? 0;
  const forAnHour = Math.min(written, countOf(created["ephemeral_1h_input_tokens"]) ?? 0);
  const read = countOf(usage["cache_read_input_tokens"]) ?? 0;
  const plain = countOf(usage["input_tokens"]);
  const totals = totalsOf(plain === null ? null : plain + read + written, usage["output_tokens"] ?? 0);
  if (totals === null) return null;
  return {
    ...totals,
    ...partsOf(totals.input_tokens, {
      cache_read_tokens: read,
      cache_write_tokens: written - forAnHour,
      cache_write_1h_tokens: forAnHour,
    }),
  };
}

function totalsOf(input: unknown, output: unknown): { input_tokens: number; output_tokens: number } | null {
  const [input_tokens, output_tokens] = [countOf(input), countOf(output)];
  return input_tokens === null || output_tokens === null ? null : { input_tokens, output_tokens };
}

/** Parts without those that are nothing. What passes the total is left out, as a run with it would be refused. */
export function partsOf<Name extends string>(
  total: number,
  given: Readonly<Record<Name, unknown>>,
): { [Part in Name]?: number } {
  const parts: { [Part in Name]?: number } = {};
  let left = total;
  for (const [name, value] of Object.entries(given) as [Name, unknown][]) {
    const part = Math.min(left, countOf(value) ?? 0);
    if (part > 0) parts[name] = part;
    left -= part;
  }
  return parts;
}

export function countOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS
    ? (value as number)
    : null;
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}
