import { isJsonObject, objectOf } from "../json.ts";
import type { Usage } from "../provider-api.ts";
import { countOf, partsOf, totalsOf } from "./counts.ts";

/**
 * Gemini's usage in our classes. A model's thoughts are counted beside its candidates, and the results of its tools
 * beside the prompt. Null if it says nothing that can be believed.
 */
export function geminiUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  const prompt = countOf(value["promptTokenCount"]);
  const [candidates = 0, thoughts = 0, tools = 0, total = 0] = [
    "candidatesTokenCount",
    "thoughtsTokenCount",
    "toolUsePromptTokenCount",
    "totalTokenCount",
  ].map((name) => countOf(value[name]) ?? 0);
  if (prompt === null) return null;
  const input = prompt + tools;
  const totals = totalsOf(input, Math.max(candidates + thoughts, total - input));
  if (totals === null) return null;
  return {
    ...totals,
    ...partsOf(totals.input_tokens, {
      cache_read_tokens: value["cachedContentTokenCount"],
      audio_input_tokens: ofModality(value["promptTokensDetails"], "AUDIO"),
      image_input_tokens: ofModality(value["promptTokensDetails"], "IMAGE"),
    }),
    ...partsOf(totals.output_tokens, {
      reasoning_tokens: thoughts,
      audio_output_tokens: ofModality(value["candidatesTokensDetails"], "AUDIO"),
      image_output_tokens: ofModality(value["candidatesTokensDetails"], "IMAGE"),
    }),
  };
}

function ofModality(details: unknown, modality: string): number {
  const parts = (Array.isArray(details) ? details : []).map(objectOf);
  const counts = parts
    .filter((part) => part["modality"] === modality)
    .map((part) => countOf(part["tokenCount"]) ?? 0);
  return counts.reduce((sum, count) => sum + count, 0);
}
