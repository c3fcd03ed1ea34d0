import { isJsonObject, objectOf } from "../json.ts";
import type { Usage } from "../provider-api.ts";
import { countOf, partsOf, totalsOf } from "./counts.ts";

/**
 * The usage of OpenAI's APIs in our classes: `prompt_tokens` and `completion_tokens`, or `input_tokens` and
 * `output_tokens`, each with details. Null if it says nothing that can be believed.
 */
export function openAiUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  const [input, output] = "prompt_tokens" in value ? ["prompt", "completion"] : ["input", "output"];
  const said = totalsOf(value[`${input}_tokens`], value[`${output}_tokens`] ?? 0);
  if (said === null) return null;
  // Some hosts count what a model thought in the total and not in the output. It is billed as output.
  const beside = (countOf(value["total_tokens"]) ?? 0) - said.input_tokens;
  const totals = { ...said, output_tokens: Math.max(said.output_tokens, beside) };
  const inputs = objectOf(value[`${input}_tokens_details`] ?? value["input_token_details"]);
  const outputs = objectOf(value[`${output}_tokens_details`] ?? value["output_token_details"]);
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
