import { expect, test } from "vitest";
import { newSpender, type Spender } from "../support/ledger.ts";
import { useRealLives } from "../support/lives.ts";
import { PATIENCE_MS } from "../support/patience.ts";

useRealLives();

/** Asks one call after the other until the isolate answers one by itself. */
async function reachesEdge(org: Spender): Promise<boolean> {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    const answer = await org.decide("0.01");
    expect(answer.status).toBe(200);
    if (answer.headers.get("x-svc-decided") === "edge") return true;
  }
  return false;
}

test("an isolate that holds slices decides by itself again after a limit changed", async () => {
  const org = await newSpender();
  const budget = { scope_kind: "org", limit_usd: "100000", period: "month", mode: "enforce" };
  const { id } = (await org.send("POST", "budgets", budget)).body;
  for (let change = 1; change <= 4; change += 1) {
    expect(await reachesEdge(org)).toBe(true);
    expect((await org.send("PATCH", `budgets/${id}`, { limit_usd: `${100_000 + change}` })).status).toBe(200);
  }
});
