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
