import { isJsonObject, type JsonObject, objectOf } from "../json.ts";
import type { AnswerFacts, Usage } from "../provider-api.ts";
import { countOf, partsOf, totalsOf } from "./counts.ts";

/** The facts about a usage of OpenAI's APIs. */
type UsageFacts = Pick<AnswerFacts, "usage" | "hidesInputClasses" | "hidesOutputClasses">;

/**
 * The usage of OpenAI's APIs in our classes: `prompt_tokens` and `completion_tokens`, or `input_tokens` and `output_tokens`,
 * each with details. All APIs that write tokens always send both. Null if it says nothing that can be believed.
 */
export function openAiUsage(
  value: unknown,
  { writesTokens = true }: { readonly writesTokens?: boolean } = {},
): Usage | null {
  if (!isJsonObject(value)) return null;
  const [input, output] = namesIn(value);
  const written = value[`${output}_tokens`] ?? (writesTokens ? null : 0);
  const said = totalsOf(value[`${input}_tokens`], written);
  if (said === null) return null;
  // Some hosts count what a model thought in the total and not in the output. It is billed as output.
  const beside = (countOf(value["total_tokens"]) ?? 0) - said.input_tokens;
  const totals = { ...said, output_tokens: Math.max(said.output_tokens, beside) };
  const inputs = objectOf(detailsIn(value, input));
  const outputs = objectOf(detailsIn(value, output));
  return {
    ...totals,
    ...partsOf(totals.input_tokens, {
      cache_read_tokens: inputs["cached_tokens"],
      // Told by hosts that bill what is written to a cache above other input.
      cache_write_tokens: inputs["cache_write_tokens"] ?? inputs["cache_creation_tokens"],
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

/** The same, and whether its details are missing. */
export function openAiUsageFacts(value: unknown, options?: Parameters<typeof openAiUsage>[1]): UsageFacts {
  const [input, output] = namesIn(objectOf(value));
  return {
    usage: openAiUsage(value, options),
    hidesInputClasses: !isJsonObject(detailsIn(objectOf(value), input)),
    hidesOutputClasses: !isJsonObject(detailsIn(objectOf(value), output)),
  };
}

function namesIn(usage: JsonObject): readonly [input: string, output: string] {
  return "prompt_tokens" in usage ? ["prompt", "completion"] : ["input", "output"];
}

function detailsIn(usage: JsonObject, name: string): unknown {
  const isInput = name === "prompt" || name === "input";
  return usage[`${name}_tokens_details`] ?? usage[isInput ? "input_token_details" : "output_token_details"];
}
