import type { DecisionAsk } from "../decision/ask.ts";

/** The fields of a call that its run does not say. */
type Unsaid = "request_id" | "dry_run" | "estimate" | "hold_seconds" | "checks" | "chain" | "input";

/**
 * The names under which calls were reserved, which are those of their runs. Many calls say the same, so it is sent once
 * for all of them. `on_expiry` is `release` if a reservation that nobody settles is given back, else it becomes a run.
 */
export type CallLine = Omit<DecisionAsk, Unsaid> & {
  /** The chain that a call named. An isolate does not check a call's place in it. */
  readonly chain_id?: string | undefined;
  /** The key that asked. A gate outside does not say it: the object knows whose report it is. */
  readonly keyId?: string | undefined;
};

/** The same call gives the same text. The type keeps the list complete: a new field must be added. */
export function callText(ask: DecisionAsk, keyId: string, isCharged: boolean): string {
  const call: Record<keyof CallLine, unknown> = {
    keyId,
    model: ask.model,
    action: ask.action,
    workflow_id: ask.workflow_id,
    deployment_id: ask.deployment_id,
    department_id: ask.department_id,
    customer_id: ask.customer_id,
    user_id: ask.user_id,
    provider: ask.provider,
    variant: ask.variant,
    approval_id: ask.approval_id,
    tags: ask.tags,
    chain_id: ask.chain?.chain_id,
    on_expiry: isCharged ? undefined : "release",
  };
  return JSON.stringify(call);
}

export function readCall(text: string): CallLine {
  return JSON.parse(text) as CallLine;
}
