import { expect, test } from "vitest";
import { type Limit, LIMITS, refusedAtEdge, ask } from "../support/limited.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { useRealLives } from "../support/lives.ts";
import type { Answer } from "../support/worker.ts";

useRealLives();

/** What an isolate refuses by itself, after a limit was raised through it. */
const RAISES: Record<Limit, (org: Spender, made: Answer) => Promise<Answer>> = {
  budget: (org, { body }) => org.send("PATCH", `budgets/${String(body.id)}`, { limit_usd: "100" }),
  "spend cap": (org) => org.send("PUT", "spend-cap", { cap_usd: "100" }),
  quota: (org) => org.operate("POST", "/v1/orgs/{org}/quota/top-ups", { amount_usd: "90" }),
  "customer limit": (org, { body }) =>
    org.send("PATCH", `customer-limits/${String(body.id)}`, { limit_usd: "100" }),
};

test.each(Object.entries(RAISES))("a call fits once the %s is raised", async (limit, raise) => {
  const org = await newSpender();
  const made = await LIMITS[limit as Limit].make(org);
  expect((await ask(org)).status).toBe(200);
  await refusedAtEdge(org);
  expect((await raise(org, made)).status).toBeLessThan(300);
  expect((await ask(org)).status).toBe(200);
});
