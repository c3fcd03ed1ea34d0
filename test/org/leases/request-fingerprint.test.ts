import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fingerprintOf } from "../../../src/gate/decision/request-fingerprint.ts";
import { type Budgeted, CENT, newBudgeted } from "../../support/budgeted.ts";
import { changeHolds } from "../../support/holds.ts";
import { call, env } from "../../support/worker.ts";
import { evict } from "../../support/evict.ts";

/** A request id stands for one fingerprint, wherever and whenever it is asked. */

const ASK = {
  request_id: "q",
  model: "m",
  action: "a",
  workflow_id: "w",
  deployment_id: "p",
  department_id: "d",
  customer_id: "c",
  // A hold time so long that the object decides.
  hold_seconds: 3600,
  estimate: { cost_usd: "0.01", input_tokens: 1, max_output_tokens: 2 },
};
const OTHER: readonly [field: string, ask: object][] = [
  ...["model", "action", "workflow_id", "deployment_id", "department_id", "customer_id"].flatMap(
    (field): [string, object][] => [
      [field, { ...ASK, [field]: "other" }],
      [`no ${field}`, { ...ASK, [field]: undefined }],
    ],
  ),
  ["hold_seconds", { ...ASK, hold_seconds: 3601 }],
  ["cost_usd", { ...ASK, estimate: { ...ASK.estimate, cost_usd: "900" } }],
  ["input_tokens", { ...ASK, estimate: { ...ASK.estimate, input_tokens: 2 } }],
  ["max_output_tokens", { ...ASK, estimate: { ...ASK.estimate, max_output_tokens: 3 } }],
];

const decide = (org: Budgeted, body: object) => call("POST", "/v1/edge/decision", { key: org.key, body });

async function heldByIsolate(org: Budgeted, ask = ASK): Promise<string> {
  const isolate = await org.isolate();
  const id = isolate.hold(CENT, Date.now(), org.idOf(ask).slice("rsv_".length)) ?? "";
  await isolate.end();
  return id;
}

describe("for a reservation that an isolate made and reported", () => {
  test("every other fingerprint is a conflict, and the same one gets the same reservation, even after a restart", async () => {
    const org = await newBudgeted();
    const id = await heldByIsolate(org);
    for (const restart of [false, true]) {
      if (restart) await evict(env.ORG.getByName(org.id));
      for (const [field, ask] of OTHER) {
        const { status, body } = await decide(org, ask);
        expect([field, status, body.error?.code]).toEqual([field, 409, "conflict"]);
      }
      const again = await decide(org, ASK);
      expect(again.body.reservation).toMatchObject({ id, amount_usd: "0.01" });
      expect((await decide(org, { ...ASK, dry_run: true })).body.reservation).toBeNull();
    }
    expect((await org.budget()).reserved_usd).toBe("0.01");
  });

  test("another fingerprint is a conflict even after a run has settled it", async () => {
    const org = await newBudgeted();
    const id = await heldByIsolate(org);
    expect((await org.run({ reservation_id: id, cost_usd: "0.01" })).status).toBe(201);
    expect((await decide(org, { ...ASK, action: "other" })).status).toBe(409);
    expect((await decide(org, ASK)).body.reservation.id).toBe(id);
  });
});

test("another fingerprint is a conflict with a reservation that the object made, even after a restart", async () => {
  const org = await newBudgeted("1");
  const first = await decide(org, ASK);
  for (const restart of [false, true]) {
    if (restart) await evict(env.ORG.getByName(org.id));
    for (const [field, ask] of OTHER) expect([field, (await decide(org, ask)).status]).toEqual([field, 409]);
    expect((await decide(org, ASK)).text).toBe(first.text);
  }
});

test("two fingerprints that isolates allowed with one request id are both held, and each is settled separately", async () => {
  const org = await newBudgeted();
  const other = { ...ASK, estimate: { cost_usd: "0.02" } };
  const [one, two] = [await org.isolate(), await org.isolate()];
  const ids = [org.idOf(ASK), org.idOf(other)] as const;
  one.hold(CENT, Date.now(), ids[0].slice(4));
  two.hold(2n * CENT, Date.now(), ids[1].slice(4));
  await Promise.all([one.end(), two.end()]);
  expect((await org.budget()).reserved_usd).toBe("0.03");
  expect((await decide(org, ASK)).body.reservation).toMatchObject({ id: ids[0], amount_usd: "0.01" });
  expect((await decide(org, other)).body.reservation).toMatchObject({ id: ids[1], amount_usd: "0.02" });
  expect((await decide(org, { ...ASK, action: "third" })).status).toBe(409);
  expect((await org.run({ reservation_id: ids[1], cost_usd: "0.02" })).status).toBe(201);
  expect(await org.budget()).toMatchObject({ spent_usd: "0.02", reserved_usd: "0.01" });
  expect((await org.release(ids[0])).status).toBe(204);
  expect(await org.budget()).toMatchObject({ spent_usd: "0.02", reserved_usd: "0.00" });
});

test("a request whose hold was released can ask something else", async () => {
  const org = await newBudgeted();
  const id = await heldByIsolate(org);
  await org.release(id);
  const other = await decide(org, { ...ASK, action: "other" });
  expect(other.status).toBe(200);
  expect((await decide(org, ASK)).status).toBe(409);
});

test("a request that is decided again gives back what its overdue hold still held", async () => {
  const org = await newBudgeted("1");
  const ask = { ...ASK, hold_seconds: 3600, estimate: { cost_usd: "0.90" } };
  const { id } = (await decide(org, ask)).body.reservation;
  await changeHolds(org.id, (hold) => (hold.id === id ? { ...hold, expires_at: Date.now() - 1 } : hold));
  expect((await decide(org, ask)).status).toBe(200);
  expect((await org.budget()).reserved_usd).toBe("0.90");
  expect(await org.standing()).toBe(1);
  expect(await org.events("reservation.expired")).toHaveLength(1);
});

test("a fingerprint is one text for any order of its fields, and any difference changes it", () => {
  const value = fc.option(fc.string({ maxLength: 5 }), { nil: undefined });
  const asks = fc.record({ model: value, action: value, customer_id: value, workflow_id: value });
  fc.assert(
    fc.property(asks, asks, (one, other) => {
      const text = (fields: object) => fingerprintOf({ ...fields, estimate: { cost_usd: "1" } });
      const reversed = Object.fromEntries(Object.entries(one).toReversed());
      expect(text(reversed)).toBe(text(one));
      expect(text(one) === text(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
  );
});
