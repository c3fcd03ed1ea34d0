import { isJsonObject, type JsonObject, objectOf } from "../json.ts";
import type { Usage } from "../provider-api.ts";
import { countOf, partsOf, totalsOf } from "./counts.ts";

/**
 * Gemini's usage in our classes. A model's thoughts are counted beside its candidates, and the results of its tools
 * beside the prompt. It always has the prompt and the total; a count that is zero is left out. Null if one of them is missing.
 */
export function geminiUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  const prompt = countOf(value["promptTokenCount"]);
  const total = countOf(value["totalTokenCount"]);
  if (prompt === null || total === null) return null;
  const [candidates, thoughts, tools] = [
    countIn(value, "candidatesTokenCount"),
    countIn(value, "thoughtsTokenCount"),
    countIn(value, "toolUsePromptTokenCount"),
  ];
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

/** A count that is left out where it is zero. One that is no count makes the total decide. */
function countIn(usage: JsonObject, name: string): number {
  return countOf(usage[name]) ?? 0;
}

function ofModality(details: unknown, modality: string): number {
  const parts = (Array.isArray(details) ? details : []).map(objectOf);
  const counts = parts
    .filter((part) => part["modality"] === modality)
    .map((part) => countOf(part["tokenCount"]) ?? 0);
  return counts.reduce((sum, count) => sum + count, 0);
}
