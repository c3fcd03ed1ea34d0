import { expect } from "vitest";
import { RULE } from "./checked.ts";
import { newSpender, type Spender } from "./ledger.ts";
import { AUDIT_ROWS } from "./logs.ts";
import { rowsOf } from "./rows.ts";

/** Runs that policies and detectors check. */

export async function governed(rule: object = RULE): Promise<{ org: Spender; ruleId: string }> {
  const org = await newSpender();
  const made = await org.send("POST", "policy-rules", { ...RULE, ...rule });
  expect(made.status).toBe(201);
  return { org, ruleId: made.body.id as string };
}

/** The audit entries of an action. */
export const entries = (org: Spender, action: string) =>
  rowsOf<{ target: string; outcome: string; detail: string }>(
    org.id,
    `SELECT target, outcome, detail FROM ${AUDIT_ROWS} WHERE action = ? ORDER BY seq`,
    action,
  );
