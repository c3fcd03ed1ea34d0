import { beforeAll, describe, expect, test } from "vitest";
import { newSpender } from "../support/ledger.ts";
import { call, newOrg, type TestOrg } from "../support/worker.ts";

/** Every limit in one list, the one that runs out next first. */

interface Listed {
  readonly kind: string;
  readonly id: string;
  readonly scope_id: string | null;
  readonly used: number;
  readonly runs_out_at: string | null;
}

let org: TestOrg;
const send = async (method: string, path: string, body?: object, key = org.ownerKey) => {
  const answer = await call(method, path, { key, ...(body === undefined ? {} : { body }) });
  expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text]);
  return answer.body;
};
const list = (query = "") => call("GET", `/v1/orgs/${org.id}/limits${query}`, { key: org.ownerKey });
const run = (fields: object) => ({
  started_at: new Date().toISOString(),
  model: "acme/m1",
  usage: { input_tokens: 1, output_tokens: 1 },
  incurred: true,
  ...fields,
});

beforeAll(async () => {
  org = await newOrg();
  const at = `/v1/orgs/${org.id}`;
  const budget = { scope_kind: "workflow", scope_id: "tight", limit_usd: "1.00", period: "month" };
  await send("POST", `${at}/budgets`, { ...budget, name: "Tight" });
  for (let index = 0; index < 30; index++) {
    await send("POST", `${at}/budgets`, { ...budget, scope_id: `wide-${index}`, limit_usd: "1000.00" });
  }
  await send("PUT", `${at}/spend-cap`, { cap_usd: "500.00" });
  await send("POST", `${at}/customer-limits`, { customer_id: "*", limit_usd: "5.00", period: "month" });
  await send("POST", `${at}/credit-packs`, { customer_id: "initech", amount_usd: "75.00" });
  await send("POST", "/v1/runs", run({ workflow_id: "tight", customer_id: "globex", cost_usd: "0.99" }));
});

describe("the list of limits", () => {
  test("considers all of them, and begins with the one that runs out next", async () => {
    const { body } = await list("?limit=3");
    expect(body.count).toBe(34);
    expect(body.data).toHaveLength(3);
    expect(body.data[0]).toMatchObject({
      kind: "budget",
      name: "Tight",
      scope_id: "tight",
      limit: "1.00",
      spent: "0.99",
      available: "0.01",
      used: 0.99,
      forecast: null,
    });
    expect(Date.parse(body.data[0].runs_out_at)).toBeGreaterThan(Date.now() - 1000);
  });

  test("names the customer that a limit for all of them counts", async () => {
    const { body } = await list();
    const limits = (body.data as Listed[]).filter(({ kind }) => kind === "customer_limit");
    expect(limits.map(({ scope_id, used }) => [scope_id, used])).toEqual([["globex", 0.198]]);
  });

  test("has caps and packs, and no pack that was voided", async () => {
    const kinds = async () => ((await list()).body.data as Listed[]).map(({ kind }) => kind);
    expect(await kinds()).toEqual(expect.arrayContaining(["spend_cap", "credit_pack"]));
    const pack = ((await list()).body.data as Listed[]).find(({ kind }) => kind === "credit_pack");
    await send("POST", `/v1/orgs/${org.id}/credit-packs/${pack?.id}/void`, {});
    expect(await kinds()).not.toContain("credit_pack");
  });

  test("adds up what open reservations hold, each once, whatever limits it is held against", async () => {
    const ask = { model: "acme/m1", workflow_id: "wide-1", customer_id: "hooli" };
    for (const cost_usd of ["0.25", "1.50"]) {
      await send("POST", "/v1/edge/decision", { ...ask, estimate: { cost_usd } });
    }
    await expect.poll(async () => (await list()).body.reserved_usd).toBe("1.75");
  });

  test("is read by a viewer of the org and by nobody else", async () => {
    const other = await newOrg();
    const path = `/v1/orgs/${org.id}/limits`;
    expect((await call("GET", path, { key: await org.mint("viewer") })).status).toBe(200);
    expect((await call("GET", path, { key: other.ownerKey })).status).toBe(404);
  });

  test("forecasts at most twenty of them at once", async () => {
    expect((await list("?forecast=true")).body.error.details.fields[0].field).toBe("limit");
    expect((await list("?forecast=true&limit=20")).status).toBe(200);
  });
});

test("a limit has the day on which the forecast of its scope uses it up, before it resets", async () => {
  org = await newOrg();
  const at = `/v1/orgs/${org.id}`;
  const runs = Array.from({ length: 20 }, (_, index) =>
    run({
      started_at: new Date(Date.now() - (20 - index) * 86_400_000).toISOString(),
      workflow_id: "steady",
      cost_usd: "10.00",
    }),
  );
  await send("POST", "/v1/runs/bulk", { runs });
  const budget = { scope_kind: "workflow", scope_id: "steady", period: "total" };
  await send("POST", `${at}/budgets`, { ...budget, name: "Soon", limit_usd: "55.00" });
  await send("POST", `${at}/budgets`, { ...budget, name: "Late", limit_usd: "900.00" });
  await send("POST", `${at}/budgets`, { ...budget, name: "Unknown", scope_id: "new", limit_usd: "5.00" });
  const { body } = await list("?forecast=true&limit=10");
  const named = new Map<string, { p50_date: string | null } | null>(
    body.data.map(({ name, forecast }: { name: string; forecast: never }) => [name, forecast]),
  );
  const soon = Date.parse(named.get("Soon")?.p50_date ?? "");
  expect(soon).toBeGreaterThan(Date.now() + 2 * 86_400_000);
  expect(soon).toBeLessThan(Date.now() + 9 * 86_400_000);
  expect(named.get("Late")).toEqual({ p50_date: null, p90_date: null });
  expect(named.get("Unknown")).toBeNull();
});

test("a limit that is not there cannot be deleted, whatever its kind", async () => {
  const spender = await newSpender();
  const deleted = [
    await spender.send("DELETE", "budgets/bud_unknown"),
    await spender.send("DELETE", "customer-limits/lim_unknown"),
    await spender.send("DELETE", "spend-cap"),
    await spender.operate("DELETE", `/v1/admin/orgs/${spender.id}/quota`),
  ];
  expect(deleted.map(({ status, body }) => [status, body?.error?.code])).toEqual(
    Array.from(deleted, () => [404, "not_found"]),
  );
});

test("the counters of a limit are listed as they are, after any change, and its increases end by themselves", async () => {
  const own = await newSpender();
  const counted = { match: {}, group_by: ["user_id"], limit_usd: "9", period: "total" };
  const id: string = (await own.send("POST", "budgets", counted)).body.id;
  const spend = (user_id: string, cost_usd: string) =>
    own.run({ ...run({ user_id, cost_usd }), incurred: false });
  const amounts = ["spent", "reserved", "available"] as const;
  const listed = async () => {
    const { body } = await own.send("GET", "limits?limit=200");
    const { data } = (await own.send("GET", `budgets/${id}/groups?limit=200`)).body;
    const pick = (one: Record<string, string>, name: string) => [name, ...amounts.map((of) => one[of])];
    const inList = body.data.map((one: Record<string, string>) => pick(one, one["scope_id"] ?? ""));
    const inBudget = data.map((one: Record<string, string>) => pick(one, one["group"] ?? ""));
    expect(inList.map(String).toSorted()).toEqual(inBudget.map(String).toSorted());
    const ends = body.data.map((one: Listed) => Date.parse(one.runs_out_at ?? "9999-01-01"));
    expect(ends).toEqual(ends.toSorted((one: number, other: number) => one - other));
    const first = await own.send("GET", "limits?limit=2");
    const order = (rows: Listed[]) => rows.map(({ scope_id }) => scope_id);
    expect(order(first.body.data)).toEqual(order(body.data).slice(0, 2));
    return Object.fromEntries(
      body.data.map((one: Record<string, string>) => [
        one["scope_id"],
        [one["limit"], ...pick(one, "").slice(1)],
      ]),
    );
  };
  for (const [nth, cost] of ["1", "5", "8.5", "0.5", "3"].entries()) await spend(`u${nth}`, cost);
  expect((await listed())["u1"]).toEqual(["9.00", "5.00", "0.00", "4.00"]);
  expect((await spend("u2", "1")).status).toBe(402);
  expect((await spend("u3", "7.25")).status).toBe(201);
  await own.decide("2", { user_id: "u1" });
  await expect.poll(async () => (await listed())["u1"]).toEqual(["9.00", "5.00", "2.00", "2.00"]);
  expect((await listed())["u3"]).toEqual(["9.00", "7.75", "0.00", "1.25"]);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const raised = { amount: "4", until, reason: "A busy hour." };
  expect((await own.send("POST", `budgets/${id}/increases`, raised)).status).toBe(201);
  expect((await listed())["u3"]).toEqual(["13.00", "7.75", "0.00", "5.25"]);
  await own.advance(3601);
  expect((await listed())["u3"]).toEqual(["9.00", "7.75", "0.00", "1.25"]);
});
