import { describe, expect, test } from "vitest";
import { newSpender, type Spender } from "../../support/ledger.ts";
import { rowsOf } from "../../support/rows.ts";
import { call, newOrg } from "../../support/worker.ts";

const DAY = 86_400;

const adjust = (
  org: Spender,
  amount_usd: string,
  more: { id?: string; key?: string; headers?: object } = {},
) =>
  call("POST", `/v1/runs/${more.id ?? "r"}/adjustments`, {
    key: more.key ?? org.key,
    body: { amount_usd, reason: "invoice" },
    headers: { ...more.headers },
  });
const listed = (org: Spender, id = "r") => call("GET", `/v1/runs/${id}/adjustments`, { key: org.key });
const budget = (org: Spender, more: object = {}) =>
  org.send("POST", "budgets", { scope_kind: "org", limit_usd: "10", period: "month", ...more });
const spent = async (org: Spender, path: string) => (await org.send("GET", path)).body.spent_usd;

describe("an adjustment", () => {
  test("is counted on every limit that the run was charged to, and in the sums, the events and the audit trail", async () => {
    const org = await newSpender();
    const own = (await budget(org)).body.id;
    const other = (await budget(org, { scope_kind: "workflow", scope_id: "w" })).body.id;
    const foreign = (await budget(org, { scope_kind: "workflow", scope_id: "v" })).body.id;
    await org.send("PUT", "spend-cap", { cap_usd: "100" });
    const clm = (
      await org.send("POST", "customer-limits", { customer_id: "*", limit_usd: "50", period: "day" })
    ).body.id;
    await org.run({ id: "r", cost_usd: "5", workflow_id: "w", customer_id: "c" });
    const later = (await budget(org)).body.id;
    const made = await adjust(org, "-1.5");
    expect(made).toMatchObject({
      status: 201,
      body: {
        run_id: "r",
        amount_usd: "-1.50",
        net_cost_usd: "3.50",
        reason: "invoice",
        uncovered_usd: null,
      },
    });
    const ids = made.body.charges.map(({ id }: { id: string }) => id);
    expect(new Set(ids)).toEqual(new Set([clm, other, own, "spend_cap"]));
    await adjust(org, "0.25");
    for (const path of [`budgets/${own}`, `budgets/${other}`, "spend-cap"]) {
      expect([path, await spent(org, path)]).toEqual([path, "3.75"]);
    }
    expect(await spent(org, `budgets/${foreign}`)).toBe("0.00");
    expect(await spent(org, `budgets/${later}`)).toBe("0.00");
    expect((await call("GET", "/v1/runs/r", { key: org.key })).body.cost_usd).toBe("5.00");
    expect((await listed(org)).body.data).toMatchObject([
      { amount_usd: "0.25", net_cost_usd: "3.75" },
      { amount_usd: "-1.50", net_cost_usd: "3.50" },
    ]);
    expect((await org.events("run.adjusted")).map(({ data }) => data["amount_usd"])).toEqual([
      "-1.50",
      "0.25",
    ]);
    const trail = (await org.send("GET", "audit-log?action=run.adjusted")).body.data;
    expect(trail).toMatchObject([{ target: "r" }, { target: "r" }]);
    const days = await rowsOf(
      org.id,
      "SELECT usd, runs FROM usage_daily WHERE scope_kind = 'workflow' ORDER BY day",
    );
    expect(days.reduce((sum, day) => sum + BigInt(day["usd"] as string), 0n)).toBe(3_750_000_000n);
    expect(days.reduce((sum, day) => sum + Number(day["runs"]), 0)).toBe(1);
  });

  test("is in what the run costs wherever the run is read, while its own cost stays", async () => {
    const org = await newSpender();
    const made = await org.run({ id: "r", cost_usd: "5" });
    await org.run({ id: "plain", cost_usd: "2" });
    expect(made.body).toMatchObject({ cost_usd: "5.00", adjusted_usd: "0.00", net_cost_usd: "5.00" });
    await adjust(org, "-3");
    await adjust(org, "0.000000001");
    const shown = { id: "r", cost_usd: "5.00", adjusted_usd: "-2.999999999", net_cost_usd: "2.000000001" };
    expect((await call("GET", "/v1/runs/r", { key: org.key })).body).toMatchObject(shown);
    const { data } = (await call("GET", "/v1/runs?sort=-cost_usd", { key: org.key })).body;
    expect(data).toMatchObject([shown, { id: "plain", adjusted_usd: "0.00", net_cost_usd: "2.00" }]);
    expect(await org.run({ id: "r", cost_usd: "5" })).toMatchObject({ status: 200, body: shown });
  });

  test("never gives back more than was charged in total, even if two run at once", async () => {
    const org = await newSpender();
    const { id } = (await budget(org)).body;
    await org.run({ id: "r", cost_usd: "5" });
    const over = await adjust(org, "-5.000000001");
    expect(over.status).toBe(422);
    expect(over.body.error.details.fields).toMatchObject([{ field: "amount_usd", code: "out_of_range" }]);
    expect(await spent(org, `budgets/${id}`)).toBe("5.00");
    const both = await Promise.all([adjust(org, "-3"), adjust(org, "-3")]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 422]));
    expect((await adjust(org, "1")).status).toBe(201);
    expect((await adjust(org, "-3.000000001")).status).toBe(422);
    expect((await adjust(org, "-3")).body).toMatchObject({ net_cost_usd: "0.00" });
    expect((await adjust(org, "-0.000000001")).status).toBe(422);
    expect(await spent(org, `budgets/${id}`)).toBe("0.00");
    expect((await listed(org)).body.data).toHaveLength(3);
  });

  test("is a fact: no limit refuses it, and a refund reduces what is over a limit first", async () => {
    const org = await newSpender();
    const { id } = (await budget(org)).body;
    await org.run({ id: "r", cost_usd: "8" });
    const up = await adjust(org, "5");
    expect(up.body.charges).toContainEqual({ kind: "budget", id, amount_usd: "5.00", over_usd: "3.00" });
    expect((await org.run({ cost_usd: "0.01" })).status).toBe(402);
    const usage = `SELECT spent, over FROM usage WHERE meter_id = '${id}'`;
    expect(await rowsOf(org.id, usage)).toEqual([{ spent: "10000000000", over: "3000000000" }]);
    const down = await adjust(org, "-4");
    expect(down.body.charges).toContainEqual({ kind: "budget", id, amount_usd: "-4.00", over_usd: "-3.00" });
    expect(await rowsOf(org.id, usage)).toEqual([{ spent: "9000000000", over: "0" }]);
    expect((await org.run({ cost_usd: "1" })).status).toBe(201);
    expect((await org.run({ cost_usd: "0.01" })).status).toBe(402);
  });

  test("counts in the current periods, and is included when a limit is recounted", async () => {
    const org = await newSpender();
    const { id } = (await budget(org, { period: "day" })).body;
    await org.run({ id: "r", cost_usd: "5" });
    await org.advance(DAY);
    expect(await spent(org, `budgets/${id}`)).toBe("0.00");
    await adjust(org, "-2");
    expect((await org.send("GET", `budgets/${id}`)).body).toMatchObject({
      spent_usd: "-2.00",
      available_usd: "12.00",
    });
    await org.send("PATCH", `budgets/${id}`, { period: "total" });
    expect(await spent(org, `budgets/${id}`)).toBe("3.00");
    await adjust(org, "9");
    await org.send("PATCH", `budgets/${id}`, { period: "year" });
    expect(await rowsOf(org.id, `SELECT spent, over FROM usage WHERE meter_id = '${id}'`)).toEqual([
      { spent: "10000000000", over: "2000000000" },
    ]);
  });

  test("applies to the quota and the chain, and not to a limit that was recreated since", async () => {
    const org = await newSpender();
    await org.operate("PUT", "/v1/orgs/{org}/quota", {});
    await org.operate("POST", "/v1/orgs/{org}/quota/top-ups", { amount_usd: "20" });
    await org.send("PUT", "chain-budget", { max_cost_usd: "6" });
    await org.send("PUT", "spend-cap", { cap_usd: "100" });
    await org.run({ id: "r", cost_usd: "5", chain: { chain_id: "ch" } });
    await org.send("DELETE", "spend-cap");
    await org.advance(5);
    await org.send("PUT", "spend-cap", { cap_usd: "100" });
    const made = await adjust(org, "-2");
    expect(made.body.charges.map(({ id }: { id: string }) => id).sort()).toEqual(["chain_cost", "quota"]);
    expect((await org.send("GET", "quota")).body.balance_usd).toBe("17.00");
    expect((await org.run({ cost_usd: "3", chain: { chain_id: "ch" } })).status).toBe(201);
    expect((await org.run({ cost_usd: "0.01", chain: { chain_id: "ch" } })).status).toBe(402);
  });

  test("goes back to the credits it came from, last drawn first, and never more than was drawn", async () => {
    const org = await newSpender();
    const pack = async (amount_usd: string, priority: number) =>
      (await org.send("POST", "credit-packs", { customer_id: "c", amount_usd, priority })).body.id;
    const [first, second] = [await pack("3", 1), await pack("4", 2)];
    await org.run({ id: "r", cost_usd: "9", customer_id: "c", incurred: true });
    const left = async () =>
      Promise.all(
        [first, second].map(async (id) => (await org.send("GET", `credit-packs/${id}`)).body.remaining_usd),
      );
    expect(await left()).toEqual(["0.00", "0.00"]);
    expect((await adjust(org, "-1")).body).toMatchObject({ uncovered_usd: "-1.00", charges: [] });
    expect(await left()).toEqual(["0.00", "0.00"]);
    expect((await adjust(org, "-3")).body).toMatchObject({
      uncovered_usd: "-1.00",
      charges: [{ id: second, amount_usd: "-2.00" }],
    });
    expect(await left()).toEqual(["0.00", "2.00"]);
    expect((await adjust(org, "1.5")).body.charges).toMatchObject([{ id: second, amount_usd: "1.50" }]);
    expect(await left()).toEqual(["0.00", "0.50"]);
    expect((await adjust(org, "-6.5")).status).toBe(201);
    expect(await left()).toEqual(["3.00", "4.00"]);
    const plain = await org.run({ id: "p", cost_usd: "1" });
    expect(plain.status).toBe(201);
    expect((await adjust(org, "2", { id: "p" })).body.charges).toEqual([]);
    expect(await left()).toEqual(["3.00", "4.00"]);
  });

  test("of a run that settles a customer's reservation stays with that customer, also when its limit is counted anew", async () => {
    const org = await newSpender();
    const limit = { customer_id: "*", limit_usd: "50", period: "day" };
    const { id } = (await org.send("POST", "customer-limits", limit)).body;
    const pack = (await org.send("POST", "credit-packs", { customer_id: "c", amount_usd: "20" })).body.id;
    for (const [run, fields] of [
      ["unnamed", {}],
      ["other", { customer_id: "d" }],
    ] as const) {
      const decided = await org.decide("5", { customer_id: "c" });
      await org.run({ id: run, cost_usd: "5", reservation_id: decided.body.reservation.id, ...fields });
    }
    const charged = { kind: "customer_limit", id, amount_usd: "2.00" };
    const drawn = { kind: "credit_pack", id: pack, amount_usd: "2.00" };
    expect((await adjust(org, "2", { id: "unnamed" })).body.charges).toEqual([charged, drawn]);
    expect((await adjust(org, "-3", { id: "other" })).body.charges).toMatchObject([
      { id, amount_usd: "-3.00" },
    ]);
    expect((await org.send("GET", `credit-packs/${pack}`)).body.remaining_usd).toBe("13.00");
    const counted = `SELECT subject, spent FROM usage WHERE meter_id = '${id}'`;
    const all = [{ subject: "c", spent: "9000000000" }];
    expect(await rowsOf(org.id, counted)).toEqual(all);
    await org.send("PATCH", `customer-limits/${id}`, { period: "month" });
    expect(await rowsOf(org.id, counted)).toEqual(all);
    expect((await adjust(org, "-7", { id: "unnamed" })).body.net_cost_usd).toBe("0.00");
    expect((await org.send("GET", `credit-packs/${pack}`)).body.remaining_usd).toBe("20.00");
  });

  test("repeated with its idempotency key is made once", async () => {
    const org = await newSpender();
    await org.run({ id: "r", cost_usd: "5" });
    const headers = { "idempotency-key": "k" };
    const first = await adjust(org, "-2", { headers });
    const again = await adjust(org, "-2", { headers });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect((await adjust(org, "-1", { headers })).status).toBe(409);
    expect((await listed(org)).body.data).toHaveLength(1);
  });

  test("requires an admin, and an existing run of the caller's own org", async () => {
    const org = await newSpender();
    await org.run({ id: "r", cost_usd: "5" });
    const made = await call("POST", `/v1/orgs/${org.id}/keys`, {
      key: org.key,
      body: { name: "d", role: "developer" },
    });
    expect((await adjust(org, "-1", { key: made.body.key })).status).toBe(403);
    const stranger = await newOrg();
    expect((await adjust(org, "-1", { key: stranger.ownerKey })).status).toBe(404);
    expect((await call("GET", "/v1/runs/r/adjustments", { key: stranger.ownerKey })).status).toBe(404);
    expect((await adjust(org, "-1", { id: "unheard" })).status).toBe(404);
    await adjust(org, "-1");
    await org.send("PUT", "retention-policy", { runs_days: 3, audit_days: 90, deliveries_days: 7 });
    await org.advance(4 * DAY);
    await expect.poll(async () => (await listed(org)).status).toBe(404);
    expect((await adjust(org, "-1")).status).toBe(404);
    await expect.poll(() => rowsOf(org.id, "SELECT id FROM run_adjustments")).toEqual([]);
  });

  test.each(["0", "-0.00", "", "-", "+1", "1e3", "--1", "1.0000000001", "-1000000000"])(
    "of %j is refused, naming the field",
    async (amount) => {
      const org = await newSpender();
      await org.run({ id: "r", cost_usd: "5" });
      const refused = await adjust(org, amount);
      expect(refused.status).toBe(422);
      expect(refused.body.error.details.fields[0].field).toBe("amount_usd");
    },
  );
});
