import { expect } from "vitest";
import type { Spender } from "./ledger.ts";

/** Of five dollars a month, unless the fields say otherwise. */
export async function newBudget(org: Spender, fields: object): Promise<{ id: string }> {
  const made = await org.send("POST", "budgets", { period: "month", limit_usd: "5", ...fields });
  expect([made.status, made.text]).toEqual([201, made.text]);
  return made.body as { id: string };
}

export const detailsOf = (answer: { body: { error: { details: Record<string, unknown> } } }) =>
  answer.body.error.details;
