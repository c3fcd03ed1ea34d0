import { isJsonObject, type JsonObject, objectOf } from "../json.ts";
import type { Units, Usage } from "../provider-api.ts";
import { countOf, partsOf, totalsOf } from "./counts.ts";

/**
 * Anthropic's usage in our classes. `input_tokens` excludes what was read from a cache or written to one. An answer always
 * has both totals. Null if one of them is missing.
 */
export function anthropicUsage(usage: unknown): Usage | null {
  if (!isJsonObject(usage)) return null;
  const value = withIterations(usage);
  const created = objectOf(value["cache_creation"]);
  const written = countOf(value["cache_creation_input_tokens"]) ?? 0;
  const forAnHour = Math.min(written, countOf(created["ephemeral_1h_input_tokens"]) ?? 0);
  const read = countOf(value["cache_read_input_tokens"]) ?? 0;
  const plain = countOf(value["input_tokens"]);
  const totals = totalsOf(plain === null ? null : plain + read + written, value["output_tokens"]);
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

/** Returns whether a usage says nothing of caches. Some hosts leave these counts out. */
export function hidesCaches(usage: unknown): boolean {
  return !("cache_creation_input_tokens" in objectOf(usage) && "cache_read_input_tokens" in objectOf(usage));
}

const BILLED = [
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
] as const;

/** An answer that was made in several steps is billed for all of them. Its totals leave out some, such as compactions. */
function withIterations(usage: JsonObject): JsonObject {
  const { iterations } = usage;
  if (!Array.isArray(iterations)) return usage;
  const all = BILLED.map((name) => {
    const steps = iterations.reduce<number>((sum, step) => sum + (countOf(objectOf(step)[name]) ?? 0), 0);
    return [name, Math.max(countOf(usage[name]) ?? 0, steps)];
  });
  return { ...usage, ...Object.fromEntries(all) };
}

/** Searches and the like, which are billed beside tokens. Null if the usage does not say. */
export function anthropicUnits(value: unknown): Units | null {
  const used = objectOf(value)["server_tool_use"];
  if (!isJsonObject(used)) return null;
  const searches = countOf(used["web_search_requests"]) ?? 0;
  return searches > 0 ? { web_search: searches } : {};
}
