import { describe, expect, test } from "vitest";
import { newSpender, type Spender } from "../../support/ledger.ts";
import { BUSY_MS, lengthenLives } from "../../support/lives.ts";
import { everythingStored, rowsOf } from "../../support/rows.ts";
import { type Answer, call } from "../../support/worker.ts";
import { AUDIT_ROWS, EVENT_ROWS } from "../../support/logs.ts";

const codeOf = ({ body }: Answer): string | null => body?.error?.code ?? null;

async function budget(org: Spender, limit: string): Promise<string> {
  const body = { scope_kind: "org", limit_usd: limit, period: "month", mode: "enforce" };
  return (await org.send("POST", "budgets", body)).body.id;
}

const standing = async (org: Spender, id: string) => {
  const { spent_usd, reserved_usd } = (await org.send("GET", `budgets/${id}`)).body;
  return [spent_usd, reserved_usd];
};

const runs = async (org: Spender) =>
  (await call("GET", "/v1/runs", { key: org.key })).body.data as Record<string, unknown>[];

async function charged(org: Spender, cost = "2", more: object = {}): Promise<string> {
  const { status, body } = await org.decide(cost, { on_expiry: "charge", hold_seconds: 30, ...more });
  expect(status).toBe(200);
  return body.reservation.id;
}

test("reports count an estimate until its run replaces it, and name whom it was for", async () => {
  const org = await newSpender();
  const reservation_id = await charged(org, "2", { user_id: "u", provider: "p", tags: { team: "red" } });
  await org.advance(31);
  const byUser = async (query = "group_by=user_id,provider,tag:team") =>
    (await org.send("GET", `usage/report?${query}`)).body.data;
  const estimated = { user_id: "u", provider: "p", "tag:team": "red", cost_usd: "2.00", runs: 1 };
  expect(await byUser()).toMatchObject([estimated]);
  expect((await org.run({ reservation_id, cost_usd: "0.5", user_id: "v" })).status).toBe(201);
  const replaced = await byUser("group_by=user_id");
  expect(replaced).toHaveLength(1);
  expect(replaced).toMatchObject([{ user_id: "v", cost_usd: "0.50", runs: 1 }]);
  const last = (await org.send("GET", "customers")).body;
  expect(last.data).toEqual([]);
});

describe("a reservation with on_expiry: charge that nobody settles", () => {
  test("becomes a run of its amount, once, charged where it was held", async () => {
    const org = await newSpender();
    const id = await budget(org, "10");
    const fields = { model: "acme/m1", workflow_id: "w", customer_id: "c", action: "a" };
    const reservation_id = await charged(org, "2", {
      ...fields,
      estimate: { cost_usd: "2", input_tokens: 7 },
    });
    expect(await standing(org, id)).toEqual(["0.00", "2.00"]);
    await org.advance(31);
    expect(await standing(org, id)).toEqual(["2.00", "0.00"]);
    await org.advance(3600);
    const [run, ...others] = await runs(org);
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      ...fields,
      outcome: "unreported",
      estimated: true,
      cost_usd: "2.00",
      reservation_id,
      usage: { input_tokens: 7 },
    });
    expect(run?.["charges"]).toContainEqual({ kind: "budget", id, amount_usd: "2.00" });
    const events = await rowsOf<{ data: string }>(
      org.id,
      `SELECT data FROM ${EVENT_ROWS} WHERE type = ?`,
      "run.recorded",
    );
    expect(events.map(({ data }) => JSON.parse(data).run_ids)).toEqual([[run?.["id"]]]);
    const entries = await rowsOf(
      org.id,
      `SELECT target FROM ${AUDIT_ROWS} WHERE action = ?`,
      "runs.estimated",
    );
    expect(entries).toHaveLength(1);
  });

  test.each([
    ["less", "0.5", ["0.50", "0.00"]],
    ["more", "9", ["9.00", "0.00"]],
    ["the same", "2", ["2.00", "0.00"]],
    ["nothing", "0", ["0.00", "0.00"]],
  ])("is replaced by its run of %s, once", async (_how, cost_usd, after) => {
    const org = await newSpender();
    const id = await budget(org, "10");
    const reservation_id = await charged(org);
    await org.advance(31);
    const estimate = (await runs(org))[0]?.["id"] as string;
    const settled = await org.run({ id: "real", reservation_id, cost_usd });
    expect(settled.status).toBe(201);
    expect(settled.body).toMatchObject({ outcome: "completed", estimated: false });
    expect(await standing(org, id)).toEqual(after);
    expect((await runs(org)).map((run) => run["id"])).toEqual(["real"]);
    expect((await call("GET", `/v1/runs/${estimate}`, { key: org.key })).status).toBe(404);
    expect((await org.run({ id: "real", reservation_id, cost_usd })).status).toBe(200);
    expect(codeOf(await org.run({ id: "other", reservation_id, cost_usd }))).toBe("conflict");
    expect(await standing(org, id)).toEqual(after);
    const days = await rowsOf<{ usd: string; runs: number }>(
      org.id,
      "SELECT SUM(usd) AS usd, SUM(runs) AS runs FROM usage_daily WHERE scope_kind = 'org'",
    );
    expect(days).toEqual([{ usd: Math.round(Number(cost_usd) * 1e9), runs: 1 }]);
    const events = await rowsOf<{ data: string }>(
      org.id,
      `SELECT data FROM ${EVENT_ROWS} WHERE type = 'run.replaced'`,
    );
    expect(events.map(({ data }) => JSON.parse(data))).toMatchObject([
      { run_id: "real", replaced_run_id: estimate, reservation_id, estimated_usd: "2.00" },
    ]);
  });

  test("of two runs that come for it at the same time, one replaces it", async () => {
    const org = await newSpender();
    const id = await budget(org, "100");
    for (let round = 0; round < 5; round += 1) {
      const reservation_id = await charged(org);
      await org.advance(31);
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => org.run({ id: `r${round}-${n}`, reservation_id, cost_usd: "3" })),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
      expect(await standing(org, id)).toEqual([`${(round + 1) * 3}.00`, "0.00"]);
    }
  });

  test("gives credits back that its run does not need, and draws what it needs beyond", async () => {
    const org = await newSpender();
    const body = { customer_id: "c", amount_usd: "5" };
    const packId = (await org.send("POST", "credit-packs", body)).body.id;
    const remaining = async () => (await org.send("GET", `credit-packs/${packId}`)).body.remaining_usd;
    for (const [cost_usd, left] of [
      ["0.5", "4.50"],
      ["3", "1.50"],
    ]) {
      const reservation_id = await charged(org, "1.5", { checks: "all", model: "m", customer_id: "c" });
      await org.advance(31);
      await org.run({ reservation_id, customer_id: "c", cost_usd });
      expect(await remaining()).toBe(left);
    }
  });

  test("is neither released nor adjusted, and its request is answered as it was", async () => {
    const org = await newSpender();
    await budget(org, "10");
    const ask = { on_expiry: "charge", hold_seconds: 30, request_id: "q" };
    const first = await org.decide("2", ask);
    await org.advance(31);
    expect((await org.decide("2", ask)).body).toEqual(first.body);
    expect((await org.release(first.body.reservation.id)).status).toBe(409);
    const [run] = await runs(org);
    const adjusted = await call("POST", `/v1/runs/${String(run?.["id"])}/adjustments`, {
      key: org.key,
      body: { amount_usd: "-1", reason: "r" },
    });
    expect(adjusted.status).toBe(409);
    await org.advance(7 * 86_400);
    const late = await org.run({ reservation_id: first.body.reservation.id, cost_usd: "1" });
    expect(late.status).toBe(422);
    expect((await runs(org)).map((one) => one["cost_usd"])).toEqual(["2.00"]);
  });

  test("is what the org's default says, and the call's own word wins", async () => {
    const org = await newSpender();
    const id = await budget(org, "10");
    const defaults = { decision_defaults: { on_expiry: "charge" } };
    expect((await call("PATCH", `/v1/orgs/${org.id}`, { key: org.key, body: defaults })).status).toBe(200);
    await org.decide("2", { hold_seconds: 30 });
    await org.decide("3", { hold_seconds: 30, on_expiry: "release" });
    await org.advance(31);
    expect(await standing(org, id)).toEqual(["2.00", "0.00"]);
  });

  test("is the default of a key that may only decide, and of a proxy that asks in headers", async () => {
    const org = await newSpender();
    const id = await budget(org, "10000");
    const named = { name: "proxy", role: "developer", scopes: ["decisions:evaluate"] };
    const key = (await org.send("POST", "keys", named)).body.key as string;
    const ask = (body: object) =>
      call("POST", "/v1/edge/decision", {
        key,
        body: { estimate: { cost_usd: "0.01" }, hold_seconds: 30, ...body },
      });
    // On a busy machine the isolate still decides by itself.
    lengthenLives(BUSY_MS);
    let cents = 0;
    const decide = async () => {
      const answer = await ask({});
      expect(answer.status).toBe(200);
      cents += 1;
      return answer.headers.get("x-svc-decided");
    };
    expect(await decide()).toBe("object");
    await expect.poll(decide, { interval: 20 }).toBe("edge");
    expect((await ask({ on_expiry: "release" })).status).toBe(200);
    const headers = { "x-sluice-estimate-usd": "5", "x-sluice-hold-seconds": "30" };
    for (const more of [{}, { "x-sluice-on-expiry": "release" }]) {
      const proxied = { key: org.key, headers: { ...headers, ...more } };
      expect((await call("GET", "/v1/edge/ext-authz", proxied)).status).toBe(200);
    }
    await org.advance(31);
    await expect.poll(() => standing(org, id)).toEqual([(5 + cents / 100).toFixed(2), "0.00"]);
  });

  test("keeps nothing of the input", async () => {
    const org = await newSpender();
    await charged(org, "1", { checks: "all", model: "m", input: "never-stored-text" });
    expect(await everythingStored(org.id)).not.toContain("never-stored-text");
  });

  test("is counted again where a limit's period changes, as long as no run has replaced it", async () => {
    const org = await newSpender();
    const id = await budget(org, "10");
    await charged(org, "2");
    const replaced = await charged(org, "4");
    await org.advance(31);
    await org.run({ reservation_id: replaced, cost_usd: "1" });
    await org.send("PATCH", `budgets/${id}`, { period: "day" });
    expect(await standing(org, id)).toEqual(["3.00", "0.00"]);
  });
});
