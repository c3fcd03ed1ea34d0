import { expect, test, vi } from "vitest";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { changeHolds, holdsOf } from "../support/holds.ts";
import { rowsOf } from "../support/rows.ts";
import { call } from "../support/worker.ts";
import { PATIENT } from "../support/patience.ts";

const DAY = 86_400;

const windowsOf = async (org: Spender, kind: string) =>
  (
    await rowsOf<{ at: number }>(
      org.id,
      `SELECT u.window_start AS at FROM usage AS u JOIN meters AS m ON m.id = u.meter_id WHERE m.kind = ? ORDER BY at`,
      kind,
    )
  ).length;

const days = async (org: Spender) =>
  (await rowsOf<{ day: string }>(org.id, "SELECT DISTINCT day FROM usage_daily ORDER BY day")).length;

/** Moves the org's clock, and waits until the sweep has looked at everything. It pauses between its steps. */
async function sweepAfter(org: Spender, seconds: number): Promise<number> {
  const now = await org.advance(seconds);
  const steps = () => rowsOf(org.id, "SELECT 1 FROM due WHERE kind = 'retention.usage'");
  await vi.waitUntil(async () => (await steps()).length === 0, PATIENT);
  return now;
}

/** One run, now. */
async function spend(org: Spender): Promise<void> {
  const started_at = new Date(await sweepAfter(org, 1)).toISOString();
  expect((await org.run({ started_at, customer_id: "c" })).status).toBe(201);
}

const budget = (period: string) => ({ scope_kind: "org", limit_usd: "100", period, mode: "enforce" });

test.concurrent("counters of windows that ended a month ago are deleted; the current one and those without an end stay", async () => {
  const org = await newSpender();
  const ids = [];
  for (const period of ["day", "total"])
    ids.push((await org.send("POST", "budgets", budget(period))).body.id);
  await spend(org);
  await sweepAfter(org, 2 * DAY);
  await spend(org);
  expect(await windowsOf(org, "budget")).toBe(3);
  await sweepAfter(org, 20 * DAY);
  expect(await windowsOf(org, "budget")).toBe(3);
  await sweepAfter(org, 20 * DAY);
  expect(await windowsOf(org, "budget")).toBe(1);
  const [day, total] = await Promise.all(ids.map((id) => org.send("GET", `budgets/${id}`)));
  expect([day?.body.spent_usd, total?.body.spent_usd]).toEqual(["0.00", "2.00"]);
});

test.concurrent("daily sums are deleted when they expire, however long their names are", async () => {
  const org = await newSpender();
  const policy = { runs_days: 3, audit_days: 90, deliveries_days: 7, legal_hold: false };
  await org.send("PUT", "retention-policy", policy);
  const started_at = new Date(await sweepAfter(org, 1)).toISOString();
  for (let batch = 0; batch < 2; batch += 1) {
    const runs = Array.from({ length: 1000 }, (_, index) =>
      aRun({ started_at, cost_usd: "0", model: `${batch} ${index}`.padStart(200, "\u0001") }),
    );
    expect((await org.bulk(runs)).body).toMatchObject({ accepted: 1000 });
  }
  await org.advance(401 * DAY);
  // The runs are deleted first, in steps.
  await vi.waitUntil(async () => (await days(org)) === 0, PATIENT);
});

test.concurrent("a window with a hold keeps its counters", async () => {
  const org = await newSpender();
  await org.send("POST", "budgets", budget("day"));
  expect((await org.decide("1", { hold_seconds: 86_400 })).status).toBe(200);
  await changeHolds(org.id, (hold) => ({ ...hold, expires_at: hold.expires_at + 100 * DAY * 1000 }));
  await rowsOf(org.id, "DELETE FROM due WHERE kind = 'holds'");
  await sweepAfter(org, 60 * DAY);
  expect(await windowsOf(org, "budget")).toBe(1);
});

test.concurrent("settled and released holds are deleted after a day, expired ones after a week", async () => {
  const org = await newSpender();
  const hold = async (): Promise<string> => (await org.decide("1")).body.reservation.id;
  const [settled, released, expired] = [await hold(), await hold(), await hold()];
  // A hold of an hour is the object's to make: it is stored, whether an isolate reports or not.
  const lost: string = (await org.decide("1", { hold_seconds: 3600 })).body.reservation.id;
  expect((await org.run({ reservation_id: settled })).status).toBe(201);
  expect((await org.release(released)).status).toBe(204);
  const kept = async () => (await holdsOf(org.id)).map(({ id }) => id);
  await sweepAfter(org, DAY / 2);
  expect((await org.run({ reservation_id: settled })).status).toBe(409);
  expect((await kept()).toSorted()).toEqual([settled, released, expired, lost].toSorted());
  await sweepAfter(org, 2 * DAY);
  expect((await kept()).toSorted()).toEqual([expired, lost].toSorted());
  expect((await org.run({ reservation_id: expired })).status).toBe(201);
  await sweepAfter(org, 8 * DAY);
  expect(await kept()).toEqual([]);
});

test.concurrent("daily sums are deleted after 400 days, or with the runs, whichever is later", async () => {
  const short = await newSpender();
  const policy = { runs_days: 3, audit_days: 90, deliveries_days: 7, legal_hold: false };
  await short.send("PUT", "retention-policy", policy);
  const long = await newSpender();
  for (const org of [short, long]) {
    await spend(org);
    await sweepAfter(org, 399 * DAY);
    expect(await days(org)).toBe(1);
    await sweepAfter(org, 2 * DAY);
  }
  expect([await days(short), await days(long)]).toEqual([0, 1]);
});

test.concurrent("a day whose sums were deleted starts again with a late run", async () => {
  const org = await newSpender();
  const policy = { runs_days: 3, audit_days: 90, deliveries_days: 7, legal_hold: false };
  await org.send("PUT", "retention-policy", policy);
  const started_at = new Date(await sweepAfter(org, 1)).toISOString();
  await org.run({ started_at, cost_usd: "7" });
  await sweepAfter(org, 401 * DAY);
  expect(await days(org)).toBe(0);
  await org.run({ started_at, cost_usd: "2" });
  const sums = await rowsOf(org.id, "SELECT day, usd, runs FROM usage_daily WHERE scope_kind = 'org'");
  expect(sums).toEqual([{ day: started_at.slice(0, 10), usd: "2000000000", runs: 1 }]);
});

test.concurrent("a legal hold keeps every counter", async () => {
  const org = await newSpender();
  await org.send("POST", "budgets", budget("day"));
  await org.send("PUT", "retention-policy", {
    runs_days: 3,
    audit_days: 90,
    deliveries_days: 7,
    legal_hold: true,
  });
  await spend(org);
  await sweepAfter(org, 500 * DAY);
  expect([await windowsOf(org, "budget"), await days(org)]).toEqual([1, 1]);
});

test.concurrent("rate-window counters of customers who never came back are deleted", async () => {
  const org = await newSpender();
  const policy = {
    name: "each",
    match: { route: "POST /v1/edge/decision", customer_id: "*" },
    unit: "requests",
    limit: 5,
    window_seconds: 60,
    kind: "rate",
  };
  const limits = { read_rpm: null, policies: [policy] };
  await org.operate("PUT", "/v1/admin/orgs/{org}/rate-limits", limits);
  await org.decide("1", { customer_id: "gone" });
  const taken = () =>
    rowsOf(org.id, "SELECT 1 FROM rate_counts WHERE meter LIKE '% gone'").then((rows) => rows.length);
  expect(await taken()).toBe(1);
  await sweepAfter(org, 2 * DAY);
  expect(await taken()).toBe(0);
});

test.concurrent("all counters are swept, even if they take more than one step", async () => {
  const org = await newSpender();
  const limit = { customer_id: "*", limit_usd: "10", period: "day" };
  await org.send("POST", "customer-limits", limit);
  await spend(org);
  await rowsOf(
    org.id,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4500)
     INSERT INTO usage SELECT meter_id, 'c' || i, window_start, spent, over, held, leased, notices
       FROM n, usage WHERE subject = 'c'`,
  );
  expect(await windowsOf(org, "customer_limit")).toBe(4501);
  await sweepAfter(org, 40 * DAY);
  expect(await windowsOf(org, "customer_limit")).toBe(0);
  expect((await call("GET", `/v1/orgs/${org.id}/customer-limits`, { key: org.key })).status).toBe(200);
});
