import type { RunUsage } from "../../contract/token-classes.ts";

/** The tokens of one call. */
interface CallTokens {
  readonly input: number;
  readonly output: number;
}

/** More than a model of today reads or writes in one call. It bounds calls of models of which nothing is known. */
const MOST_IN_A_CALL: CallTokens = { input: 2_097_152, output: 262_144 };

/** The bounds of a model's calls. Null: not known. */
export interface ModelLimits {
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
}

/** The most that one call can use: what its model can, or what was reserved for it, if that is more. */
export function mostInCall(limits: ModelLimits | null, reserved: CallTokens): CallTokens {
  const { context_window: context, max_output_tokens: output } = limits ?? {};
  return {
    input: Math.max(context ?? MOST_IN_A_CALL.input, reserved.input),
    output: Math.max(output ?? context ?? MOST_IN_A_CALL.output, reserved.output),
  };
}

/** Returns what can be true of a usage. Parts of a total that was cut are not known. The same usage if all of it can. */
export function believedUsage<Usage extends RunUsage>(usage: Usage, most: CallTokens): Usage | RunUsage {
  if (usage.input_tokens <= most.input && usage.output_tokens <= most.output) return usage;
  const { units } = usage;
  return {
    input_tokens: Math.min(usage.input_tokens, most.input),
    output_tokens: Math.min(usage.output_tokens, most.output),
    ...(units === undefined ? {} : { units }),
  };
}

/** Returns whether a usage has no more of each unit than was reserved. */
export function hasReservedUnits({ units = {} }: RunUsage, reserved: RunUsage["units"] = {}): boolean {
  return Object.entries(units).every(([name, count]) => {
    return count <= (Object.hasOwn(reserved, name) ? (reserved[name] ?? 0) : 0);
  });
}
