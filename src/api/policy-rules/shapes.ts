import { z } from "zod";
import { compileNew } from "../../domain/policy-compile.ts";
import { EFFECTS, MODES, TARGETS } from "../../domain/policy.ts";

/** Compiled here, so that what cannot run is refused with its place before it is stored. */
const when = z
  .string()
  .min(1)
  .meta({ description: "A CEL expression that is true or false.", examples: ['model == "acme/m1"'] })
  .superRefine((source, context) => {
    const compiled = compileNew(source);
    if ("problem" in compiled) {
      context.addIssue({ code: "custom", message: compiled.problem, params: { code: "invalid_expression" } });
    }
  });

export const ruleFields = {
  target: z.enum(TARGETS),
  effect: z.enum(EFFECTS),
  when,
  reason: z.string().min(1).max(500),
  priority: z.int().min(-1_000_000).max(1_000_000),
  mode: z.enum(MODES),
};
