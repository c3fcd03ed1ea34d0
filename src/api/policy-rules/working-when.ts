import { newPolicyRule } from "../../contract/resources/policy-rules.ts";
import { compileNew } from "../../domain/policy/compile.ts";

/** Compiles the expression before it is stored, so that an invalid one is refused and its position reported. */
export const workingWhen = newPolicyRule.shape.when.superRefine((source, context) => {
  const compiled = compileNew(source);
  if ("problem" in compiled) {
    context.addIssue({ code: "custom", message: compiled.problem, params: { code: "invalid_expression" } });
  }
});
