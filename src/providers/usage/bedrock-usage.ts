import { isJsonObject, objectOf } from "../json.ts";
import type { Usage } from "../provider-api.ts";
import { countOf, partsOf, totalsOf } from "./counts.ts";

/**
 * The usage of Bedrock's own API in our classes. Its `inputTokens` are those that no cache had to do with. Tokens that
 * only the total has are output. Null if it says nothing that can be believed.
 */
export function bedrockUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  const plain = countOf(value["inputTokens"]);
  const output = countOf(value["outputTokens"]);
  if (plain === null || output === null) return null;
  const read = countOf(value["cacheReadInputTokens"]) ?? 0;
  const written = countOf(value["cacheWriteInputTokens"]) ?? 0;
  const forAnHour = Math.min(written, writtenForAnHour(value["cacheDetails"]));
  const input = plain + read + written;
  const beside = (countOf(value["totalTokens"]) ?? 0) - input;
  const totals = totalsOf(input, Math.max(output, beside));
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

function writtenForAnHour(details: unknown): number {
  const counts = (Array.isArray(details) ? details : [])
    .map(objectOf)
    .filter(({ ttl }) => ttl === "1h")
    .map((detail) => countOf(detail["inputTokens"]) ?? 0);
  return counts.reduce((sum, count) => sum + count, 0);
}
