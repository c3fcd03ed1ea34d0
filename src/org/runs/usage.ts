import {
  partCounts,
  type RunUsage,
  TOKEN_CLASS_NAMES,
  type TokenClass,
} from "../../contract/token-classes.ts";
import type { Run, RunExtra } from "./run.ts";

/** Every usage has both, and most have nothing else. */
const TOTALS = 2;

/** The non-zero parts of a usage. Undefined for most. */
export function partsOf(usage: RunUsage): RunExtra["parts"] {
  if (Object.keys(usage).length === TOTALS) return undefined;
  let parts: Partial<Record<TokenClass, number>> | undefined;
  const counts = partCounts(usage);
  for (const [at, name] of TOKEN_CLASS_NAMES.entries()) {
    const count = counts[at] ?? 0;
    if (count > 0) (parts ??= {})[name] = count;
  }
  return parts;
}

/** The non-zero units of a usage, sorted by name, so that equal usages are written the same. */
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
