import { describe, expect, test } from "vitest";
import { LeaseHolder } from "../../support/lease-holder.ts";
import { call, newOrg, operatorKey, type TestOrg } from "../../support/worker.ts";

/** Limits that change while isolates have unreported holds from slices of them. */

const CENT = 10_000_000n;

/** A hold time so long that the object decides, with current data. */
function decide(org: TestOrg, cost: string) {
  return call("POST", "/v1/edge/decision", {
    key: org.ownerKey,
    body: { estimate: { cost_usd: cost }, hold_seconds: 3600 },
  });
}

async function send(org: TestOrg, method: string, path: string, body?: object) {
  const answer = await call(method, `/v1/orgs/${org.id}${path}`, {
    key: path.startsWith("/quota") ? operatorKey() : org.ownerKey,
    ...(body === undefined ? {} : { body }),
  });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}

/** Ten cents held from a slice of a limit of a hundred dollars, and not reported. */
async function holding(org: TestOrg): Promise<{ isolate: LeaseHolder; ids: string[] }> {
  const isolate = new LeaseHolder(org.id);
  await isolate.lease(CENT);
  expect(isolate.left).toBeGreaterThan(10n * CENT);
  const ids = Array.from({ length: 10 }, () => isolate.hold(CENT, Date.now()) ?? "");
  expect(ids).not.toContain("");
  return { isolate, ids };
}

/** Everything that is left, to the cent, and then nothing. */
async function fillsUpAt(org: TestOrg, left: string): Promise<void> {
  expect((await decide(org, `${left}0000001`)).status).toBe(402);
  expect((await decide(org, left)).status).toBe(200);
  expect((await decide(org, "0.000000001")).status).toBe(402);
}

async function budgetOf(org: TestOrg, period: string): Promise<string> {
  const body = { scope_kind: "org", limit_usd: "100", period, mode: "enforce" };
  return (await send(org, "POST", "/budgets", body)).id;
}

describe("a changed period", () => {
  const changes = [
    ["month", "day"],
    ["day", "month"],
    ["year", "week"],
    ["total", "day"],
    ["day", "total"],
  ];
  test.each(changes)("from %s to %s leaves no room for what isolates hold unreported", async (from, to) => {
    const org = await newOrg();
    const id = await budgetOf(org, from ?? "");
    const { isolate, ids } = await holding(org);
    await send(org, "PATCH", `/budgets/${id}`, { period: to });
    expect((await decide(org, "99.91")).status).toBe(402);
    await isolate.end();
    expect((await send(org, "GET", `/budgets/${id}`)).reserved_usd).toBe("0.10");
    await fillsUpAt(org, "99.90");
    await release(org, ids[0] ?? "");
    expect((await send(org, "GET", `/budgets/${id}`)).reserved_usd).toBe("99.99");
  });

  test("that changes back still counts earlier holds once", async () => {
    const org = await newOrg();
    const id = await budgetOf(org, "month");
    const first = await holding(org);
    await send(org, "PATCH", `/budgets/${id}`, { period: "day" });
    const second = await holding(org);
    await send(org, "PATCH", `/budgets/${id}`, { period: "month" });
    const third = await holding(org);
    for (const { isolate } of [second, first, third]) await isolate.end();
    expect((await send(org, "GET", `/budgets/${id}`)).reserved_usd).toBe("0.30");
    await fillsUpAt(org, "99.70");
  });
});

async function release(org: TestOrg, reservation: string): Promise<void> {
  const released = await call("DELETE", `/v1/edge/decision/${reservation}`, { key: org.ownerKey });
  expect(released.status).toBe(204);
}

test("a cap moved to another time zone leaves no room for what isolates hold unreported", async () => {
  const org = await newOrg();
  await send(org, "PUT", "/spend-cap", { cap_usd: "100" });
  const { isolate } = await holding(org);
  await send(org, "PUT", "/spend-cap", { cap_usd: "100", timezone: "Pacific/Auckland" });
  expect((await decide(org, "99.91")).status).toBe(402);
  await isolate.end();
  expect((await send(org, "GET", "/spend-cap")).reserved_usd).toBe("0.10");
  await fillsUpAt(org, "99.90");
});

describe("a limit that is deleted and recreated", () => {
  test("a cap counts nothing of earlier holds, and strands nothing", async () => {
    const org = await newOrg();
    await send(org, "PUT", "/spend-cap", { cap_usd: "100" });
    const { isolate, ids } = await holding(org);
    await send(org, "DELETE", "/spend-cap");
    await send(org, "PUT", "/spend-cap", { cap_usd: "100" });
    expect((await decide(org, "99.91")).status).toBe(402);
    await isolate.end();
    expect((await send(org, "GET", "/spend-cap")).reserved_usd).toBe("0.00");
    await release(org, ids[0] ?? "");
    await fillsUpAt(org, "100.00");
  });

  test("returned slices of the old limit take nothing from slices of the new one", async () => {
    const org = await newOrg();
    await send(org, "PUT", "/quota", {});
    await send(org, "POST", "/quota/top-ups", { amount_usd: "100" });
    const before = await holding(org);
    await send(org, "DELETE", "/quota");
    await send(org, "PUT", "/quota", {});
    await send(org, "POST", "/quota/top-ups", { amount_usd: "100" });
    const after = await holding(org);
    await before.isolate.end();
    expect((await decide(org, "99.91")).status).toBe(402);
    await after.isolate.end();
    expect((await send(org, "GET", "/quota")).reserved_usd).toBe("0.10");
    await fillsUpAt(org, "99.90");
  });

  test("a deleted budget takes no report, and the others take theirs", async () => {
    const org = await newOrg();
    const gone = await budgetOf(org, "month");
    const kept = await budgetOf(org, "week");
    const { isolate } = await holding(org);
    await send(org, "DELETE", `/budgets/${gone}`);
    await isolate.end();
    expect((await send(org, "GET", `/budgets/${kept}`)).reserved_usd).toBe("0.10");
    await fillsUpAt(org, "99.90");
  });
});

test("a limit lowered below what isolates hold refuses until there is room, and counts each hold once", async () => {
  const org = await newOrg();
  const id = await budgetOf(org, "month");
  const { isolate, ids } = await holding(org);
  await send(org, "PATCH", `/budgets/${id}`, { limit_usd: "0.05" });
  expect((await decide(org, "0.01")).status).toBe(402);
  await isolate.end();
  expect((await send(org, "GET", `/budgets/${id}`)).reserved_usd).toBe("0.10");
  expect((await decide(org, "0.01")).status).toBe(402);
  for (const reservation of ids) await release(org, reservation);
  expect((await send(org, "GET", `/budgets/${id}`)).reserved_usd).toBe("0.00");
  expect((await decide(org, "0.05")).status).toBe(200);
});
