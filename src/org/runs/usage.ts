import { type RunUsage, TOKEN_PARTS, type TokenClass } from "../../contract/token-classes.ts";
import type { Run, RunExtra } from "./run.ts";

/** The parts of a usage that are not none. Undefined for most. */
export function partsOf(usage: RunUsage): RunExtra["parts"] {
  let parts: Partial<Record<TokenClass, number>> | undefined;
  for (const { name, field } of TOKEN_PARTS) {
    const count = usage[field];
    if (count !== undefined && count > 0) (parts ??= {})[name] = count;
  }
  return parts;
}

/** The units of a usage that are not none, in order of their names: two that mean the same are written the same. */
export function unitsOf({ units }: RunUsage): RunExtra["units"] {
  if (units === undefined) return undefined;
  const used = Object.entries(units).filter(([, count]) => count > 0);
  if (used.length === 0) return undefined;
  return Object.fromEntries(used.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The usage as it was reported. */
export function usageOf(run: Run): RunUsage {
  const { parts = {}, units } = run.extra ?? {};
  const fields = Object.entries(parts).map(([name, count]) => [`${name}_tokens`, count] as const);
  return {
    input_tokens: run.inputTokens,
    output_tokens: run.outputTokens,
    ...Object.fromEntries(fields),
    ...(units === undefined ? {} : { units }),
  };
}
