import { DRY_RUN_HEADER } from "../../contract/headers.ts";
import { invalidField, type Refusal } from "../../contract/refusal.ts";
import type { Call } from "./call.ts";
import type { Operation } from "./operation-types.ts";

/**
 * The operation, with the conditions that a call may set: to change nothing, or to set only what is not there yet. They are
 * not part of the pipeline, because the front Worker serves no operation that has them.
 */
export function withConditions(operation: Operation): Operation {
  const { contract, handle } = operation;
  if (contract.method === "GET") return operation;
  return {
    ...operation,
    async handle(call) {
      const asked = call.request.headers.get(DRY_RUN_HEADER);
      const refusal = asked === null ? null : dryRunProblem(call, asked);
      if (refusal !== null) return refusal;
      if (contract.dryRun === true) setConditions(call, asked !== null);
      return handle(call);
    },
  };
}

/** A change that cannot be tried is refused, so that nobody takes one that was made for a trial. */
function dryRunProblem({ op }: Call, asked: string): Refusal<"validation_failed"> | null {
  if (op.dryRun !== true)
    return invalidField(DRY_RUN_HEADER, "invalid_value", "is not a header of this operation");
  return asked === "true"
    ? null
    : invalidField(DRY_RUN_HEADER, "invalid_value", "must be true, or be omitted");
}

function setConditions(call: Call, isDryRun: boolean): void {
  const mustBeNew = call.request.headers.get("if-none-match")?.trim() === "*";
  call.conditions = { ...(mustBeNew ? { mustBeNew } : {}), ...(isDryRun ? { isDryRun } : {}) };
  if (isDryRun) call.headers[DRY_RUN_HEADER] = "true";
}
