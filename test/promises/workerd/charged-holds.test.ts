import { describe, expect, test } from "vitest";
import { DATED_MS } from "../../../src/domain/reservation/reservation-id.ts";
import { type Budgeted, CENT, newBudgeted } from "../../support/budgeted.ts";
import { type HoldExtras, HELD_MS, type LeaseHolder } from "../../support/lease-holder.ts";
import { rowsOf } from "../../support/rows.ts";
import { call, env } from "../../support/worker.ts";
import { evict } from "../../support/evict.ts";

/** Reservations that isolates made from slices, and that are charged when they expire. */

const CALL = {
  model: "acme/m1",
  provider: "acme",
  action: "a",
  workflow_id: "w",
  deployment_id: "d",
  department_id: "f",
  customer_id: "c",
  user_id: "u",
  variant: "batch",
  tags: { team: "red" },
};
const CHARGED = { tokens: 12, inputTokens: 7, call: { ...CALL, keyId: "key_A" } } satisfies HoldExtras;
const ASK = { request_id: "q", on_expiry: "charge", estimate: { cost_usd: "0.01" } } as const;
const HELD_SECONDS = HELD_MS / 1000;

const allRuns = async (org: Budgeted) =>
  (await call("GET", "/v1/runs", { key: org.key })).body.data as Record<string, unknown>[];
const costs = async (org: Budgeted) => (await allRuns(org)).map((run) => run["cost_usd"]);
const restart = (org: Budgeted) => evict(env.ORG.getByName(org.id));
const settle = (org: Budgeted, reservation_id: string, id = "real") =>
  org.run({ id, reservation_id, cost_usd: "0.004" });
const standing = async (org: Budgeted) => {
  const { spent_usd, reserved_usd } = await org.budget();
  return [spent_usd, reserved_usd];
};
const ofDays = async (org: Budgeted) => {
  await org.send("GET", "budgets");
  const [sum] = await rowsOf<{ usd: number; runs: number }>(
    org.id,
    "SELECT IFNULL(SUM(usd), 0) AS usd, IFNULL(SUM(runs), 0) AS runs FROM usage_daily WHERE scope_kind = 'org'",
  );
  return [sum?.usd, sum?.runs];
};

/** Held by an isolate, for a request of that name or for none. */
function held(isolate: LeaseHolder, { name, at = Date.now() }: { name?: string; at?: number } = {}): string {
  return isolate.hold(CENT, at, name?.slice("rsv_".length), HELD_MS, CHARGED) ?? "";
}

async function reported(org: Budgeted): Promise<string> {
  const isolate = await org.isolate();
  const id = held(isolate);
  await isolate.end();
  expect(await standing(org)).toEqual(["0.00", "0.01"]);
  return id;
}

test("it becomes the same run as one that the object decided", async () => {
  const org = await newBudgeted();
  const id = await reported(org);
  const asked = { ...CALL, estimate: { cost_usd: "0.01", input_tokens: 7, max_output_tokens: 5 } };
  const decided = await org.decide("0.01", { ...asked, on_expiry: "charge", hold_seconds: HELD_SECONDS });
  expect(decided.status).toBe(200);
  await org.advance(HELD_SECONDS + 1);
  expect(await standing(org)).toEqual(["0.02", "0.00"]);
  const runs = new Map((await allRuns(org)).map((run) => [run["reservation_id"], run]));
  expect(new Set(runs.keys())).toEqual(new Set([id, decided.body.reservation.id]));
  const own = { id: "", reservation_id: "", started_at: "", charged_at: "", recorded_at: "", key_id: "" };
  const [ours, theirs] = [runs.get(id), runs.get(decided.body.reservation.id)];
  expect({ ...ours, ...own }).toEqual({ ...theirs, ...own });
  expect(ours).toMatchObject({
    ...CALL,
    outcome: "unreported",
    estimated: true,
    cost_usd: "0.01",
    usage: { input_tokens: 7, output_tokens: 5 },
  });
  const report = await org.send("GET", "usage/report?group_by=key_id");
  expect(report.body.data.map((one: { key_id: string }) => one.key_id)).toContain("key_A");
  expect(await ofDays(org)).toEqual([2 * Number(CENT), 2]);
});

test("one that is not to be charged is given back", async () => {
  const org = await newBudgeted();
  const isolate = await org.isolate();
  isolate.hold(CENT, Date.now());
  await isolate.end();
  await org.advance(HELD_SECONDS + 1);
  expect([await standing(org), await allRuns(org)]).toEqual([["0.00", "0.00"], []]);
});

describe("it is charged once", () => {
  test.each([
    ["the object restarts between its report and its expiry", async (org: Budgeted) => restart(org)],
    [
      "the object restarts after it has expired",
      async (org: Budgeted) => {
        await org.advance(HELD_SECONDS + 1);
        await restart(org);
      },
    ],
  ])("where %s", async (_when, crash) => {
    const org = await newBudgeted();
    await reported(org);
    await crash(org);
    await org.advance(HELD_SECONDS + 1);
    await org.advance(3600);
    expect([await standing(org), await costs(org)]).toEqual([["0.01", "0.00"], ["0.01"]]);
    expect(await ofDays(org)).toEqual([Number(CENT), 1]);
  });

  test("however often it is reported, before and after it expires", async () => {
    const org = await newBudgeted();
    const isolate = await org.isolate();
    held(isolate);
    await isolate.reportInVain();
    await restart(org);
    await isolate.reportInVain();
    await isolate.report();
    await isolate.repeat();
    await isolate.end();
    expect(await standing(org)).toEqual(["0.00", "0.01"]);
    await org.advance(HELD_SECONDS + 1);
    await isolate.repeat();
    expect([await standing(org), await costs(org)]).toEqual([["0.01", "0.00"], ["0.01"]]);
  });

  test("if it has expired when it is reported", async () => {
    const org = await newBudgeted();
    const isolate = await org.isolate();
    isolate.hold(CENT, Date.now() - 60_000, undefined, 30_000, CHARGED);
    await isolate.end();
    await org.advance(1);
    expect([await standing(org), await costs(org)]).toEqual([["0.01", "0.00"], ["0.01"]]);
  });
});

describe("its run", () => {
  test.each([
    ["before its report", async () => undefined],
    ["before its expiry", async (_org: Budgeted, isolate: LeaseHolder) => isolate.end()],
    [
      "after its expiry",
      async (org: Budgeted, isolate: LeaseHolder) => {
        await isolate.end();
        await org.advance(HELD_SECONDS + 1);
        expect(await costs(org)).toEqual(["0.01"]);
      },
    ],
    [
      "almost seven days after its expiry, from an object that has restarted",
      async (org: Budgeted, isolate: LeaseHolder) => {
        await isolate.end();
        await org.advance(HELD_SECONDS + 7 * 86_400 - 60);
        expect(await costs(org)).toEqual(["0.01"]);
        await restart(org);
      },
    ],
  ])("is all that is charged if it comes %s", async (_when, until) => {
    const org = await newBudgeted();
    const isolate = await org.isolate();
    const id = held(isolate);
    await until(org, isolate);
    expect((await settle(org, id)).status).toBe(201);
    expect((await settle(org, id)).status).toBe(200);
    expect((await settle(org, id, "other")).status).toBe(409);
    await isolate.end();
    await org.advance(HELD_SECONDS + 1);
    expect([await standing(org), await costs(org)]).toEqual([["0.004", "0.00"], ["0.004"]]);
    expect(await ofDays(org)).toEqual([4_000_000, 1]);
  });

  test("is all that is charged if it comes at the moment of its expiry", async () => {
    const org = await newBudgeted();
    const isolate = await org.isolate();
    const at = Date.now();
    const id = isolate.hold(CENT, at - HELD_MS, undefined, HELD_MS, CHARGED) ?? "";
    await isolate.end();
    expect((await settle(org, id)).status).toBe(201);
    await org.advance(1);
    expect([await standing(org), await costs(org)]).toEqual([["0.004", "0.00"], ["0.004"]]);
  });

  test("comes too late after seven days", async () => {
    const org = await newBudgeted();
    const id = await reported(org);
    await org.advance(HELD_SECONDS + 7 * 86_400 + 1);
    expect((await settle(org, id)).status).toBe(422);
    expect(await costs(org)).toEqual(["0.01"]);
  });
});

test("one that is released is not charged, whether its report comes before or after", async () => {
  for (const isFirst of [true, false]) {
    const org = await newBudgeted();
    const isolate = await org.isolate();
    const id = held(isolate);
    if (isFirst) await isolate.end();
    expect((await org.release(id)).status).toBe(204);
    await isolate.end();
    await org.advance(HELD_SECONDS + 1);
    expect([await standing(org), await allRuns(org)]).toEqual([["0.00", "0.00"], []]);
  }
});

test("what a gate has not reported when it dies is at most its slice, and is given back without a charge", async () => {
  const org = await newBudgeted();
  const isolate = await org.isolate();
  const slice = isolate.left;
  held(isolate);
  const leased = Number((await org.budget()).reserved_usd) * 1e9;
  expect(leased).toBe(Number(slice));
  await org.advance(HELD_SECONDS - 1);
  expect(Number((await org.budget()).reserved_usd) * 1e9).toBe(leased);
  await org.advance(HELD_SECONDS);
  expect([await standing(org), await allRuns(org)]).toEqual([["0.00", "0.00"], []]);
});

test("a renewed one is charged with its new amount", async () => {
  const org = await newBudgeted();
  const id = await reported(org);
  const body = { hold_seconds: 60, amount_usd: "0.03" };
  expect((await call("POST", `/v1/edge/decision/${id}/renew`, { key: org.key, body })).status).toBe(200);
  await org.advance(61);
  expect([await standing(org), await costs(org)]).toEqual([["0.03", "0.00"], ["0.03"]]);
});

test("checked against everything, it counts in a plan that refuses nothing, and its run in its place", async () => {
  const org = await newBudgeted();
  const isolate = await org.isolate({ checks: "all", model: "acme/m1" });
  const id = held(isolate);
  await isolate.end();
  const used = async () => {
    const { runs_used, tokens_used } = (await org.send("GET", "plan")).body;
    return [runs_used, tokens_used];
  };
  expect(await used()).toEqual([0, 0]);
  await org.advance(HELD_SECONDS + 1);
  expect([await used(), await standing(org)]).toEqual([
    [1, 12],
    ["0.01", "0.00"],
  ]);
  expect((await settle(org, id)).status).toBe(201);
  expect([await used(), await standing(org)]).toEqual([
    [1, 15],
    ["0.004", "0.00"],
  ]);
});

describe("a request that two isolates allowed", () => {
  test("is charged once", async () => {
    const org = await newBudgeted();
    const [one, other] = [await org.isolate(), await org.isolate()];
    const name = org.idOf(ASK);
    for (const isolate of [one, other]) expect(held(isolate, { name })).toBe(name);
    for (const isolate of [one, other]) await isolate.end();
    expect(await standing(org)).toEqual(["0.00", "0.01"]);
    await org.advance(HELD_SECONDS + 1);
    expect([await standing(org), await costs(org)]).toEqual([["0.01", "0.00"], ["0.01"]]);
  });

  test("is charged once if one of them reports after the other's has expired, and one run takes its place", async () => {
    const org = await newBudgeted();
    const [one, other] = [await org.isolate(), await org.isolate()];
    const name = org.idOf(ASK);
    const now = Date.now();
    one.hold(CENT, now - 40_000, name.slice(4), 39_000, CHARGED);
    held(other, { name, at: now - 20_000 });
    await one.end();
    await org.advance(1);
    expect(await standing(org)).toEqual(["0.01", String(Number(other.left + CENT) / 1e9)]);
    await other.end();
    expect(await standing(org)).toEqual(["0.01", "0.00"]);
    await org.advance(2 * HELD_SECONDS);
    expect(await costs(org)).toEqual(["0.01"]);
    expect((await settle(org, name)).status).toBe(201);
    expect([await standing(org), await costs(org)]).toEqual([["0.004", "0.00"], ["0.004"]]);
  });

  test("is charged if the other isolate did not know yet that it is", async () => {
    const org = await newBudgeted();
    const [one, other] = [await org.isolate(), await org.isolate()];
    const name = org.idOf(ASK);
    one.hold(CENT, Date.now(), name.slice(4));
    held(other, { name });
    await one.end();
    await other.end();
    await org.advance(HELD_SECONDS + 1);
    expect([await standing(org), await costs(org)]).toEqual([["0.01", "0.00"], ["0.01"]]);
  });

  test("with another amount each is held twice, and charged once", async () => {
    const org = await newBudgeted();
    const [one, other] = [await org.isolate(), await org.isolate()];
    const name = org.idOf(ASK);
    held(one, { name });
    other.hold(2n * CENT, Date.now(), name.slice(4), HELD_MS, CHARGED);
    await one.end();
    await other.end();
    expect(await standing(org)).toEqual(["0.00", "0.03"]);
    await org.advance(HELD_SECONDS + 1);
    expect([await standing(org), await costs(org)]).toEqual([["0.01", "0.00"], ["0.01"]]);
  });

  test("before noon and after it, is charged once, and the run of either takes its place", async () => {
    for (const settled of [0, 1]) {
      const org = await newBudgeted();
      const [before, after] = [await org.isolate(), await org.isolate()];
      const now = Date.now();
      const names = [org.idOf(ASK, now - DATED_MS), org.idOf(ASK, now)];
      held(before, { name: names[0] ?? "", at: now - 1000 });
      held(after, { name: names[1] ?? "", at: now });
      await before.end();
      await after.end();
      expect(await standing(org)).toEqual(["0.00", "0.02"]);
      await org.advance(HELD_SECONDS + 1);
      expect([await standing(org), await costs(org)]).toEqual([["0.01", "0.00"], ["0.01"]]);
      expect((await settle(org, names[settled] ?? "")).status).toBe(201);
      expect([await standing(org), await costs(org)]).toEqual([["0.004", "0.00"], ["0.004"]]);
      expect((await settle(org, names[1 - settled] ?? "", "other")).status).toBe(409);
    }
  });

  test("before noon and after it, is not charged where the run of one has come", async () => {
    const org = await newBudgeted();
    const [before, after] = [await org.isolate(), await org.isolate()];
    const now = Date.now();
    const names = [org.idOf(ASK, now - DATED_MS), org.idOf(ASK, now)];
    held(before, { name: names[0] ?? "", at: now - 1000 });
    held(after, { name: names[1] ?? "", at: now });
    await before.end();
    await after.end();
    expect((await settle(org, names[1] ?? "")).status).toBe(201);
    await org.advance(HELD_SECONDS + 1);
    expect([await standing(org), await costs(org)]).toEqual([["0.004", "0.00"], ["0.004"]]);
  });
});
