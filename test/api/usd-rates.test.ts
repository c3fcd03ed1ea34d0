import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lengthenLives } from "../support/lives.ts";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { type Answer, call } from "../support/worker.ts";
import { OutsideGate } from "../support/outside-gate.ts";
import { gateOf } from "../support/worker-gate.ts";

/** Rate-limit policies by dollars: at most so much in any window, from estimates, and from runs in their place. */

async function limited(policy: object = {}): Promise<Spender> {
  const org = await newSpender();
  const whole = { name: "dollars", match: {}, unit: "usd", limit: "5", window_seconds: 60, kind: "rate" };
  expect((await put(org, { ...whole, ...policy })).status).toBe(200);
  return org;
}

const newKey = async (org: Spender): Promise<{ id: string; key: string }> =>
  (await org.send("POST", "keys", { name: "other", role: "developer" })).body;
const put = (org: Spender, policy: object): Promise<Answer> =>
  org.operate("PUT", "/v1/admin/orgs/{org}/rate-limits", { read_rpm: null, policies: [policy] });
const own = async (org: Spender) => (await org.send("GET", "rate-limits")).body.policies[0];
const statuses = async (org: Spender, costs: readonly string[], fields: object = {}) => {
  const found: number[] = [];
  for (const cost of costs) found.push((await org.decide(cost, fields)).status);
  return found;
};

describe("a policy", () => {
  test.each([
    ["a whole number", 5, "5.00"],
    ["a decimal string", "0.25", "0.25"],
    ["the most", 9_000_000, "9000000.00"],
    ["nothing", 0, "0.00"],
  ])("takes %s of dollars, and shows it as an amount", async (_, limit, shown) => {
    const org = await limited({ limit });
    const path = `/v1/admin/orgs/${org.id}/rate-limits`;
    expect((await org.operate("GET", path)).body.policies[0]).toMatchObject({
      unit: "usd",
      limit_usd: shown,
    });
    expect(await own(org)).toMatchObject({ limit_usd: shown, used_usd: "0.00" });
    // What is read can be sent back, and keeps its counter.
    const { id, ...policy } = (await org.operate("GET", path)).body.policies[0];
    expect((await put(org, policy)).body.policies[0].id).toBe(id);
  });

  test.each([
    ["a fraction as a number", { limit: 0.5 }],
    ["a negative amount", { limit: "-1" }],
    ["more than the most", { limit: 9_000_001 }],
    ["more than the most as text", { limit: "9000000.01" }],
    ["dollars as text for tokens", { limit: "5", unit: "tokens" }],
    ["dollars as text for requests", { limit: "5.00", unit: "requests" }],
    ["more than the most, exactly", { limit_usd: "9000000.01" }],
    ["exact dollars for tokens", { limit: 5, limit_usd: "5", unit: "tokens" }],
  ])("refuses %s", async (_, policy) => {
    const org = await newSpender();
    const whole = { name: "p", match: {}, unit: "usd", limit: "5", window_seconds: 60, kind: "rate" };
    const answer = await put(org, { ...whole, ...policy });
    expect([answer.status, answer.body.error.details.fields[0].field]).toEqual([
      422,
      expect.stringMatching(/^policies\[0\]\.limit/),
    ]);
  });
});

describe("decisions", () => {
  test("are allowed up to the dollars of the window, and again when it has passed", async () => {
    const org = await limited();
    expect(await statuses(org, ["2", "2", "0.99", "0.02", "0.01", "0.01"])).toEqual([
      200, 200, 200, 429, 200, 429,
    ]);
    const refused = await org.decide("1");
    expect(refused.body.error).toMatchObject({ code: "rate_limited" });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await own(org)).toMatchObject({ used_usd: "5.00" });
    await org.advance(62);
    expect(await statuses(org, ["5", "0.01"])).toEqual([200, 429]);
  });

  test("tell what is left, and a call for more than all of it is told that no wait helps", async () => {
    const org = await limited();
    expect((await org.decide("1.5")).body.limits).toMatchObject([
      { kind: "rate_limit", available_usd: "3.50" },
    ]);
    const never = await org.decide("5.01");
    expect(never.body.error).toMatchObject({
      code: "rate_limited",
      details: { limit_usd: "5.00", attempted_usd: "5.01" },
    });
    expect(never.body.error.message).toContain("$5.01");
  });

  test("count in fixed windows, too", async () => {
    const org = await limited({ kind: "quota", window_seconds: 2_592_000 });
    expect(await statuses(org, ["4", "2"])).toEqual([200, 429]);
    expect((await org.decide("2")).body.error).toMatchObject({
      code: "quota_exhausted",
      details: { quota: "window", unit: "usd", limit_usd: "5.00", used_usd: "4.00" },
    });
  });

  test("are counted for each user, customer, tag and chain by itself", async () => {
    const each: readonly [string, object, object, object][] = [
      ["customer", { customer_id: "*" }, { customer_id: "a" }, { customer_id: "b" }],
      ["user", { user_id: "*" }, { user_id: "a" }, { user_id: "b" }],
      ["tag", { tags: { team: "*" } }, { tags: { team: "a" } }, { tags: { team: "b" } }],
      ["chain", { chain_id: "*" }, { chain: { chain_id: "a" } }, { chain: { chain_id: "b" } }],
    ];
    for (const [name, match, one, other] of each) {
      const org = await limited({ match });
      const found = [await statuses(org, ["4", "2"], one), await statuses(org, ["4", "2"], other)];
      expect([name, found]).toEqual([
        name,
        [
          [200, 429],
          [200, 429],
        ],
      ]);
      expect((await own(org)).busiest).toMatchObject([{ used_usd: "4.00" }, { used_usd: "4.00" }]);
    }
  });

  test("are counted for each key by itself, whoever reports their runs", async () => {
    const org = await limited({ match: { each_key: true } });
    const other = await newKey(org);
    const decide = (key: string, cost_usd: string) =>
      call("POST", "/v1/edge/decision", { key, body: { estimate: { cost_usd } } });
    expect((await decide(org.key, "4")).status).toBe(200);
    expect((await decide(org.key, "2")).status).toBe(429);
    const { reservation } = (await decide(other.key, "3")).body;
    expect((await decide(other.key, "2.01")).status).toBe(429);
    // What a run costs beyond its estimate counts for the key that asked.
    const run = aRun({ reservation_id: reservation.id, cost_usd: "4.5" });
    expect((await call("POST", "/v1/runs", { key: other.key, body: run })).status).toBe(201);
    expect((await decide(other.key, "0.51")).status).toBe(429);
    expect((await decide(other.key, "0.5")).status).toBe(200);
    const { busiest } = await own(org);
    expect(busiest).toMatchObject([{ subject: other.id, used_usd: "5.00" }, { used_usd: "4.00" }]);
    const ask = { estimate: { cost_usd: "2" } };
    const explained = await call("POST", `/v1/orgs/${org.id}/explain`, { key: org.key, body: { ask } });
    expect(explained.body.checks).toContainEqual(
      expect.objectContaining({ check: "rate_limit", outcome: "refused", spent: "4.00" }),
    );
    const { reservation: left } = (await decide(org.key, "0.5")).body;
    const settled = aRun({ reservation_id: left.id, cost_usd: "0.9" });
    expect((await call("POST", "/v1/runs", { key: other.key, body: settled })).status).toBe(201);
    expect((await decide(org.key, "0.11")).status).toBe(429);
    expect((await decide(org.key, "0.1")).status).toBe(200);
  });

  test.each([
    ["names nobody", {}],
    ["names another", { chain: { chain_id: "other" }, user_id: "other", tags: { team: "other" } }],
  ])("are corrected where they were counted by a run that %s", async (_, said) => {
    const each: readonly [object, object][] = [
      [{ chain_id: "*" }, { chain: { chain_id: "loop" } }],
      [{ user_id: "*" }, { user_id: "loop" }],
      [{ tags: { team: "*" } }, { tags: { team: "loop" } }],
    ];
    for (const [match, named] of each) {
      const org = await limited({ match });
      const { reservation } = (await org.decide("1", named)).body;
      const run = aRun({ reservation_id: reservation.id, cost_usd: "4.5", ...said });
      expect((await org.run(run)).status).toBe(201);
      expect(await statuses(org, ["0.51", "0.5"], named)).toEqual([429, 200]);
    }
  });

  test("are counted for each key and user together, and a policy that changes that starts from zero", async () => {
    const org = await limited({ match: { each_key: true, user_id: "*" } });
    expect(await statuses(org, ["4", "2"], { user_id: "a" })).toEqual([200, 429]);
    expect(await statuses(org, ["4", "2"], { user_id: "b" })).toEqual([200, 429]);
    expect(await statuses(org, ["9"])).toEqual([200]);
    const { id } = await own(org);
    const policy = { name: "dollars", unit: "usd", limit: "5", window_seconds: 60, kind: "rate" };
    await put(org, { ...policy, match: { user_id: "*" } });
    expect((await own(org)).id).not.toBe(id);
  });

  test("in tokens are counted at their price, and fitted into what the window has left", async () => {
    const org = await limited({ limit: "0.01" });
    await org.send("PUT", "models/m", { input_usd_per_mtok: "1", output_usd_per_mtok: "10" });
    const ask = (estimate: object) =>
      call("POST", "/v1/edge/decision", { key: org.key, body: { model: "m", estimate } });
    expect((await ask({ max_output_tokens: 400 })).status).toBe(200);
    const fitted = await ask({ max_output_tokens: 4000, min_output_tokens: 100 });
    expect(fitted.body.reservation).toMatchObject({ max_output_tokens: 600, amount_usd: "0.006" });
    expect((await ask({ max_output_tokens: 4000, min_output_tokens: 1 })).status).toBe(429);
    expect(await own(org)).toMatchObject({ used_usd: "0.01" });
  });

  test("without a price are refused for that, and count nothing", async () => {
    const org = await limited();
    const ask = { model: "nobody", estimate: { input_tokens: 5 } };
    expect((await org.decide("", ask)).status).toBe(422);
    expect(await own(org)).toMatchObject({ used_usd: "0.00" });
  });

  test("are explained with their amounts", async () => {
    const org = await limited();
    await org.decide("4");
    const body = { ask: { estimate: { cost_usd: "2" } } };
    const { checks } = (await call("POST", `/v1/orgs/${org.id}/explain`, { key: org.key, body })).body;
    expect(checks.find(({ check }: { check: string }) => check === "rate_limit")).toMatchObject({
      outcome: "refused",
      limit: "5.00",
      spent: "4.00",
      available: "1.00",
      why: expect.stringContaining("$2.00"),
    });
  });
});

describe("runs", () => {
  test.each([
    ["by itself", (org: Spender, run: object) => org.run(run)],
    ["in bulk", (org: Spender, run: object) => org.bulk([aRun(run), aRun({ cost_usd: "0" })])],
  ])("count what they cost instead of the estimate of their decision, sent %s", async (_, send) => {
    const org = await limited();
    const settle = async (estimate: string, cost: string) => {
      const { reservation } = (await org.decide(estimate)).body;
      expect((await send(org, { reservation_id: reservation.id, cost_usd: cost })).status).toBeLessThan(202);
    };
    await settle("5", "0.2");
    expect(await own(org)).toMatchObject({ used_usd: "0.20" });
    await settle("1", "3.5");
    expect(await own(org)).toMatchObject({ used_usd: "3.70" });
    await settle("1", "0");
    expect(await own(org)).toMatchObject({ used_usd: "3.70" });
    expect(await statuses(org, ["1.31", "1.3"])).toEqual([429, 200]);
  });

  test("are corrected once, in the part of the window that counted them, and make no room that others have used", async () => {
    const org = await limited();
    const { reservation: first } = (await org.decide("4")).body;
    await org.advance(30);
    expect(await statuses(org, ["0.9"])).toEqual([200]);
    const run = { id: "once", reservation_id: first.id, cost_usd: "1" };
    expect([(await org.run(run)).status, (await org.run(run)).status]).toEqual([201, 200]);
    expect(await own(org)).toMatchObject({ used_usd: "1.90" });
    // What the first call left counts no longer once its part of the window has passed, and the second still does.
    await org.advance(31);
    expect(await own(org)).toMatchObject({ used_usd: "0.90" });
    expect(await statuses(org, ["4.11", "4.1"])).toEqual([429, 200]);
  });

  test("of a reservation that has left the window give back nothing", async () => {
    const org = await limited();
    const [{ reservation: one }, { reservation: other }] = [
      (await org.decide("2")).body,
      (await org.decide("2")).body,
    ];
    await org.advance(62);
    expect(await statuses(org, ["5"])).toEqual([200]);
    expect((await org.run({ reservation_id: one.id, cost_usd: "0.5" })).status).toBe(201);
    expect((await org.release(other.id)).status).toBe(204);
    expect(await own(org)).toMatchObject({ used_usd: "5.00" });
    expect(await statuses(org, ["0.01"])).toEqual([429]);
  });

  test("that never come count as they were reserved, and a release gives back all, once", async () => {
    const org = await limited();
    const [kept, freed] = [(await org.decide("2")).body, (await org.decide("3")).body];
    expect((await org.release(freed.reservation.id)).status).toBe(204);
    expect((await org.release(freed.reservation.id)).status).toBe(204);
    expect(await own(org)).toMatchObject({ used_usd: "2.00" });
    await put(org, {
      name: "dollars",
      match: {},
      unit: "usd",
      limit: "5",
      window_seconds: 2_592_000,
      kind: "rate",
    });
    const { reservation } = (await org.decide("2", { hold_seconds: 60 })).body;
    await org.advance(120);
    expect(await own(org)).toMatchObject({ used_usd: "2.00" });
    expect((await org.release(reservation.id)).status).toBe(204);
    expect(await own(org)).toMatchObject({ used_usd: "0.00" });
    expect(kept.reservation.id).not.toBe(reservation.id);
  });

  test("that nobody decided are refused by it, unless they were incurred", async () => {
    const org = await limited();
    expect((await org.run({ cost_usd: "6" })).body.error.code).toBe("rate_limited");
    expect((await org.run({ cost_usd: "3" })).status).toBe(201);
    expect((await org.run({ cost_usd: "3" })).status).toBe(429);
    expect((await org.run({ cost_usd: "3", incurred: true })).status).toBe(201);
    expect(await own(org)).toMatchObject({ used_usd: "6.00" });
  });

  test("of a renewed reservation count what was added to it", async () => {
    const org = await limited();
    const { reservation } = (await org.decide("1")).body;
    const renew = (amount_usd: string) =>
      call("POST", `/v1/edge/decision/${reservation.id}/renew`, { key: org.key, body: { amount_usd } });
    expect((await renew("3")).status).toBe(200);
    expect(await own(org)).toMatchObject({ used_usd: "3.00" });
    expect((await renew("5.5")).status).toBe(429);
    expect((await org.run({ reservation_id: reservation.id, cost_usd: "3.5" })).status).toBe(201);
    expect(await own(org)).toMatchObject({ used_usd: "3.50" });
  });

  test("of a renewed reservation are corrected where each part of it was counted, the earliest first", async () => {
    const org = await limited();
    const { reservation } = (await org.decide("1")).body;
    const renew = async (amount_usd: string) => {
      const path = `/v1/edge/decision/${reservation.id}/renew`;
      expect((await call("POST", path, { key: org.key, body: { amount_usd } })).status).toBe(200);
    };
    await renew("0.4");
    expect(await own(org)).toMatchObject({ used_usd: "0.40" });
    await renew("1");
    await org.advance(30);
    await renew("4");
    expect(await own(org)).toMatchObject({ used_usd: "4.00" });
    await renew("3.9");
    await org.advance(31);
    expect(await own(org)).toMatchObject({ used_usd: "3.00" });
    // Of what it did not spend, 0.90 has left the window.
    expect((await org.run({ reservation_id: reservation.id, cost_usd: "2.5" })).status).toBe(201);
    expect(await own(org)).toMatchObject({ used_usd: "2.50" });
    await org.advance(30);
    expect(await own(org)).toMatchObject({ used_usd: "0.00" });
  });

  test("of a reservation that is renewed again and again are corrected as well", async () => {
    const org = await limited();
    const { reservation } = (await org.decide("0.1")).body;
    for (let cents = 20; cents <= 300; cents += 20) {
      const body = { amount_usd: String(cents / 100) };
      const path = `/v1/edge/decision/${reservation.id}/renew`;
      expect((await call("POST", path, { key: org.key, body })).status).toBe(200);
    }
    expect((await org.run({ reservation_id: reservation.id, cost_usd: "0.25" })).status).toBe(201);
    expect(await own(org)).toMatchObject({ used_usd: "0.25" });
  });

  test("of a reservation with more renewals than are remembered give back less, and never more than was counted", async () => {
    const org = await limited({ window_seconds: 3600 });
    const { reservation } = (await org.decide("0.01", { hold_seconds: 7200 })).body;
    for (let cents = 2; cents <= 35; cents += 1) {
      await org.advance(31);
      const body = { amount_usd: String(cents / 100), hold_seconds: 7200 };
      const path = `/v1/edge/decision/${reservation.id}/renew`;
      expect((await call("POST", path, { key: org.key, body })).status).toBe(200);
    }
    expect(await own(org)).toMatchObject({ used_usd: "0.35" });
    expect((await org.release(reservation.id)).status).toBe(204);
    // Of the first four cents, three were counted later than the hold still says.
    expect(await own(org)).toMatchObject({ used_usd: "0.03" });
  });
});

test("what was admitted in any window never passes the limit by its estimates", async () => {
  const steps = fc.array(fc.record({ cents: fc.integer({ min: 1, max: 300 }), afterSeconds: fc.nat(25) }), {
    minLength: 10,
    maxLength: 25,
  });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const org = await limited();
      const admitted: { at: number; cents: number }[] = [];
      for (const { cents, afterSeconds } of all) {
        const at = await org.advance(afterSeconds + 1);
        if ((await org.decide(String(cents / 100))).status === 200) admitted.push({ at, cents });
      }
      for (const { at } of admitted) {
        const inside = admitted.filter((one) => one.at >= at && one.at < at + 60_000);
        expect(inside.reduce((sum, { cents }) => sum + cents, 0)).toBeLessThanOrEqual(500);
      }
    }),
    { numRuns: 4 },
  );
});

test("an isolate and an embedded gate decide by it themselves, and never pass it together", async () => {
  lengthenLives();
  const org = await limited({ window_seconds: 3600 });
  const gate = gateOf(org.key);
  const cost = { estimate: { cost_usd: "0.01" } };
  let allowed = 0;
  let refusedHere = 0;
  for (let turn = 0; turn < 700; turn += 1) {
    const byGate = gate.decide(cost).then(
      () => 200,
      () => 429,
    );
    const found = [await byGate, (await org.decide("0.01")).status];
    allowed += found.filter((status) => status === 200).length;
    if (found.every((status) => status === 429)) refusedHere += 1;
    if (refusedHere > 20) break;
  }
  expect(allowed).toBeLessThanOrEqual(500);
  expect(allowed).toBeGreaterThan(400);
  expect(gate.stats.allowedHere).toBeGreaterThan(100);
  expect(gate.stats.refusedHere).toBeGreaterThan(0);
  await gate.close();
  expect(Number((await own(org)).used_usd)).toBeLessThanOrEqual(5);
});

test("runs and releases correct what an isolate and an embedded gate have reserved, exactly", async () => {
  lengthenLives();
  const org = await limited({ limit: "1000", window_seconds: 3600 });
  const gate = gateOf(org.key);
  const ask = { estimate: { cost_usd: "0.05" } };
  const run = { model: "m", usage: { input_tokens: 1, output_tokens: 1 } };
  const costs = ["0.01", "0.09", "0"];
  let cents = 0;
  let settledAtEdge = 0;
  const settleOne = async (turn: number) => {
    const cost_usd = costs[turn % 3] ?? "0";
    const isReleased = turn % 4 === 3;
    if (!isReleased) cents += 2 * Math.round(Number(cost_usd) * 100);
    const byGate = await gate.decide(ask);
    const { body, headers } = await org.decide("0.05");
    const { id } = body.reservation as { id: string };
    if (headers.get("x-svc-decided") === "edge") settledAtEdge += 1;
    if (isReleased) {
      await gate.release(byGate);
      expect((await org.release(id)).status).toBe(204);
    } else {
      gate.settle(byGate, { ...run, cost_usd });
      expect((await org.run({ reservation_id: id, cost_usd })).status).toBe(201);
    }
  };
  const isEnough = () => settledAtEdge >= 60 && gate.stats.allowedHere >= 60;
  for (let turn = 0; turn < 900 && !isEnough(); turn += 12) {
    await Promise.all(Array.from({ length: 12 }, (_, at) => settleOne(turn + at)));
  }
  expect(isEnough()).toBe(true);
  await gate.close();
  // What the isolate has leased and not used comes back with its reports.
  await expect.poll(async () => Number((await own(org)).used_usd), { interval: 250 }).toBe(cents / 100);
});

test("a call that a gate refuses by itself is allowed right after a run or a release left it room", async () => {
  lengthenLives();
  const org = await limited({ limit: "1", window_seconds: 3600 });
  const gate = gateOf(org.key);
  const all = await gate.decide({ estimate: { cost_usd: "0.9" } });
  const decide = (cost_usd: string) =>
    gate.decide({ estimate: { cost_usd } }).then(
      () => 200,
      ({ status }: { status: number }) => status,
    );
  for (let turn = 0; turn < 200 && gate.stats.refusedHere < 3; turn += 1) await decide("0.2");
  expect(gate.stats.refusedHere).toBeGreaterThanOrEqual(3);
  gate.settle(all, { model: "m", usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: "0.1" });
  await gate.flush();
  expect(await decide("0.85")).toBe(200);
  await gate.close();
  const overHttp = await limited({ limit: "1", window_seconds: 3600 });
  const { reservation } = (await overHttp.decide("0.9")).body;
  let atEdge = 0;
  for (let turn = 0; turn < 200 && atEdge < 3; turn += 1) {
    const { status, headers } = await overHttp.decide("0.2");
    expect(status).toBe(429);
    if (headers.get("x-svc-decided") === "edge") atEdge += 1;
  }
  expect(atEdge).toBeGreaterThanOrEqual(3);
  expect((await overHttp.release(reservation.id)).status).toBe(204);
  expect((await overHttp.decide("1")).status).toBe(200);
});

test.each([
  ["cost less", "0.01", "0.01"],
  ["cost more", "0.09", "0.09"],
  ["was released", null, "0.00"],
])(
  "a reservation that %s before a gate has reported it counts for what it cost",
  async (_, cost_usd, used) => {
    const org = await limited({ window_seconds: 3600 });
    const gate = new OutsideGate(org.key);
    await gate.learn();
    const wish = (left: number, want: number) =>
      gate.rates.map((key) => ({ key, left: String(left), want: String(want), least: "1" }));
    const { body } = await gate.report({ wants: wish(0, 1_000_000_000) });
    expect(Number(body.leases.slices[0][1])).toBeGreaterThan(50_000_000);
    const [line, other] = [gate.line(40_000_000), gate.line(10_000_000)];
    const reservation_id = line.slice(0, 30);
    if (cost_usd === null) expect((await org.release(reservation_id)).status).toBe(204);
    else expect((await org.run({ reservation_id, cost_usd })).status).toBe(201);
    expect((await gate.report({ lines: [line, other], wants: wish(0, 0) })).body.refused).toEqual([]);
    // The other reservation has no run yet.
    expect(await own(org)).toMatchObject({ used_usd: (Number(used) + 0.01).toFixed(2) });
  },
);

test("a reservation that a gate reports late is corrected where its report was counted", async () => {
  lengthenLives();
  const org = await limited();
  const gate = new OutsideGate(org.key);
  await gate.learn();
  const wants = gate.rates.map((key) => ({ key, left: "0", want: "1000000000", least: "1" }));
  await gate.report({ wants });
  const line = gate.line(40_000_000);
  // Longer than two parts of the window.
  await scheduler.wait(1100);
  const { body } = await gate.report({ lines: [line], wants: [] });
  expect(body.refused).toEqual([]);
  expect(await own(org)).toMatchObject({ used_usd: "0.04" });
  expect((await org.run({ reservation_id: line.slice(0, 30), cost_usd: "0.01" })).status).toBe(201);
  expect(await own(org)).toMatchObject({ used_usd: "0.01" });
});
