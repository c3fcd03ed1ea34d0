import { newPolicyRule } from "../../contract/resources/policy-rules.ts";
import { compileNew } from "../../domain/policy-compile.ts";

/** Compiled here, so that what cannot run is refused with its place before it is stored. */
export const workingWhen = newPolicyRule.shape.when.superRefine((source, context) => {
  const compiled = compileNew(source);
  if ("problem" in compiled) {
    context.addIssue({ code: "custom", message: compiled.problem, params: { code: "invalid_expression" } });
  }
});
