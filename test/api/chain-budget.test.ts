import { expect, test } from "vitest";
import { newSpender } from "../support/ledger.ts";

const chain = (chain_id: string, parent_run_id?: string) => ({ chain: { chain_id, parent_run_id } });

test("each chain has its own cost limit: 402 above it", async () => {
  const org = await newSpender();
  await org.send("PUT", "chain-budget", { max_cost_usd: "2" });
  await org.run(chain("x"));
  const refused = await org.run({ ...chain("x"), cost_usd: "1.5" });
  expect([refused.status, refused.body.error.code]).toEqual([402, "chain_budget_exceeded"]);
  expect(refused.body.error.details).toEqual({
    reason: "cost",
    current: "1.00",
    attempted: "1.50",
    limit: "2.00",
  });
  expect((await org.run({ ...chain("y"), cost_usd: "2" })).status).toBe(201);
});

test("too many tokens in a chain: 429 without Retry-After", async () => {
  const org = await newSpender();
  await org.send("PUT", "chain-budget", { max_tokens: 20 });
  await org.run(chain("x"));
  const refused = await org.run(chain("x"));
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, null]);
  expect(refused.body.error.details).toEqual({ reason: "tokens", current: 15, attempted: 15, limit: 20 });
});

test("a chain that is too deep: 429; any number of runs at one level", async () => {
  const org = await newSpender();
  await org.send("PUT", "chain-budget", { max_depth: 2 });
  await org.run({ id: "a", ...chain("x") });
  for (const id of ["b", "c", "d"]) {
    const child = await org.run({ id, ...chain("x", "a") });
    expect(child.body.chain).toEqual({ chain_id: "x", parent_run_id: "a", depth: 2 });
  }
  const refused = await org.run(chain("x", "b"));
  expect(refused.status).toBe(429);
  expect(refused.body.error.details).toEqual({ reason: "depth", current: 2, attempted: 3, limit: 2 });
});

test("a parent outside the chain is reported as the invalid field", async () => {
  const org = await newSpender();
  await org.run({ id: "a", ...chain("x") });
  for (const bad of [chain("x", "nobody"), chain("y", "a")]) {
    const refused = await org.run(bad);
    expect(refused.status).toBe(422);
    expect(refused.body.error.details.fields[0].field).toBe("chain.parent_run_id");
  }
  const both = await org.bulk([
    { ...run, id: "p", ...chain("z") },
    { ...run, ...chain("z", "p") },
  ]);
  expect(both.body).toMatchObject({ accepted: 2 });
});

const run = {
  started_at: "2026-11-15T00:00:00Z",
  model: "m",
  usage: { input_tokens: 1, output_tokens: 1 },
  cost_usd: "0",
};

test("runs of several chains in one batch are each checked against their own chain, exactly", async () => {
  const org = await newSpender();
  await org.send("PUT", "chain-budget", { max_cost_usd: "1" });
  const of = (name: string, cost_usd: string) => ({ ...run, ...chain(name), cost_usd });
  const results = async (runs: readonly object[]) =>
    (await org.bulk(runs)).body.results.map((one: { status: string }) => one.status);
  const accepted = "accepted";
  // All fit: they are charged together.
  expect(await results([of("x", "0.40"), of("y", "0.90"), of("x", "0.40")])).toEqual([
    accepted,
    accepted,
    accepted,
  ]);
  // Not all fit: each is judged separately.
  expect(await results([of("x", "0.20"), of("y", "0.20"), of("x", "0.01"), of("y", "0.10")])).toEqual([
    accepted,
    "rejected",
    "rejected",
    accepted,
  ]);
  expect((await org.bulk([of("x", "0.01"), of("y", "0.01")])).status).toBe(402);
  await org.send("PUT", "chain-budget", { max_depth: 2 });
  const nested = [
    { ...run, id: "1", ...chain("z") },
    { ...run, id: "2", ...chain("z", "1") },
    { ...run, id: "3", ...chain("z", "2") },
  ];
  expect(await results(nested)).toEqual([accepted, accepted, "rejected"]);
});

test("the budget is replaced, read and removed", async () => {
  const org = await newSpender();
  expect((await org.send("GET", "chain-budget")).status).toBe(404);
  expect((await org.send("PUT", "chain-budget", {})).status).toBe(422);
  await org.send("PUT", "chain-budget", { max_depth: 3, max_cost_usd: "5" });
  const set = await org.send("PUT", "chain-budget", { max_depth: 4 });
  expect(set.body).toEqual({ max_cost_usd: null, max_depth: 4, max_tokens: null });
  expect((await org.send("DELETE", "chain-budget")).status).toBe(204);
  expect((await org.send("GET", "chain-budget")).status).toBe(404);
});
