import { expect } from "vitest";
import { lengthenLives } from "./lives.ts";
import { newSpender, type Spender } from "./ledger.ts";
import type { Answer } from "./worker.ts";

/** Each kind of limit that refuses decisions, with 10 dollars, and the event of its first refusal. */
export const LIMITS = {
  budget: {
    event: "budget.exceeded",
    make: (org) =>
      org.send("POST", "budgets", { scope_kind: "org", limit_usd: "10", period: "day", mode: "enforce" }),
  },
  "spend cap": {
    event: "spend_cap.exceeded",
    make: (org) => org.send("PUT", "spend-cap", { cap_usd: "10" }),
  },
  quota: {
    event: "quota.exhausted",
    make: async (org) => {
      await org.operate("PUT", "/v1/orgs/{org}/quota", {});
      return org.operate("POST", "/v1/orgs/{org}/quota/top-ups", { amount_usd: "10" });
    },
  },
  "customer limit": {
    event: "customer_limit.exceeded",
    make: (org) => org.send("POST", "customer-limits", { customer_id: "c", limit_usd: "10", period: "day" }),
  },
} satisfies Record<string, { event: string; make: (org: Spender) => Promise<Answer> }>;

export type Limit = keyof typeof LIMITS;
export const LIMIT_NAMES = Object.keys(LIMITS) as Limit[];

/** An org with one limit. From now on, nothing that an isolate was told of it expires. */
export async function limited(limit: Limit): Promise<Spender> {
  const org = await newSpender();
  expect((await LIMITS[limit].make(org)).status).toBeLessThan(300);
  lengthenLives();
  return org;
}

/** By default, an amount that fits into the limit once and not twice. */
export const ask = (org: Spender, costUsd = "6") => org.decide(costUsd, { customer_id: "c" });

export const decidedAt = ({ headers }: Answer) => headers.get("x-svc-decided");

const MOST_ASKS = 50;

/** Asks until the isolate refuses by itself. Returns what the object refused before that. */
export async function refusedAtEdge(org: Spender, costUsd?: string): Promise<Answer[]> {
  const before: Answer[] = [];
  for (let asked = 0; asked < MOST_ASKS; asked += 1) {
    const answer = await ask(org, costUsd);
    expect(answer.status).toBe(402);
    if (decidedAt(answer) === "edge") return before;
    before.push(answer);
  }
  throw new Error("the isolate never refused by itself");
}
