import { expect } from "vitest";
import type { Spender } from "./ledger.ts";
import { AUDIT_ROWS } from "./logs.ts";
import { rowsOf } from "./rows.ts";
import type { Answer } from "./worker.ts";

/** Decisions that are checked against everything. */

/** A rule that refuses one model. */
export const RULE = { target: "model", effect: "deny", when: 'model == "acme/bad"', reason: "not cleared" };

export const all = (org: Spender, cost: string, fields: object = {}): Promise<Answer> =>
  org.decide(cost, { checks: "all", model: "acme/m1", ...fields });

export const codeOf = ({ body }: Answer): string | null => body?.error?.code ?? null;

export async function sent(answer: Promise<Answer>): Promise<Answer> {
  const found = await answer;
  expect([200, 201, 204]).toContain(found.status);
  return found;
}

/** The targets of the audit entries of an action. */
export const entries = (org: Spender, action: string) =>
  rowsOf(org.id, `SELECT target FROM ${AUDIT_ROWS} WHERE action = ? ORDER BY seq`, action);
