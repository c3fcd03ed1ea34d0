import { expect, test } from "vitest";
import { DATED_MS } from "../../../src/domain/reservation/reservation-id.ts";
import { type Budgeted, CENT, newBudgeted } from "../../support/budgeted.ts";
import type { LeaseHolder } from "../../support/lease-holder.ts";
import { aRun } from "../../support/ledger.ts";

/**
 * A request that is allowed before noon or midnight, and again after it by an isolate that has not heard of it, has two
 * reservations, because the half day is part of their ids.
 */

const ASK = { request_id: "q", estimate: { cost_usd: "0.01" } };
const settle = (org: Budgeted, reservation_id: string) => org.run({ reservation_id, cost_usd: "0.004" });

function allow(org: Budgeted, isolate: LeaseHolder, at: number): string {
  return isolate.hold(CENT, at, org.idOf(ASK, at).slice("rsv_".length)) ?? "";
}

/** Both reservations, made by isolates that have reported nothing. */
async function allowedTwice(org: Budgeted) {
  const [before, after] = [await org.isolate(), await org.isolate()];
  const now = Date.now();
  const ids = [allow(org, before, now - DATED_MS), allow(org, after, now)] as const;
  expect(ids[0]).not.toBe(ids[1]);
  return { ids, before, after };
}

const REPORTED = [
  ["by both isolates", true, true],
  ["by the isolate before noon", true, false],
  ["by the isolate after noon", false, true],
  ["by none", false, false],
] as const;

test.each(REPORTED)("one of the two is settled (reported %s)", async (_by, isFirst, isSecond) => {
  for (const order of [
    [0, 1],
    [1, 0],
  ] as const) {
    const org = await newBudgeted();
    const { ids, before, after } = await allowedTwice(org);
    if (isFirst) await before.end();
    if (isSecond) await after.end();
    expect((await settle(org, ids[order[0]])).status).toBe(201);
    const second = await settle(org, ids[order[1]]);
    expect([second.status, second.body.error.code]).toEqual([409, "conflict"]);
    const batch = await org.bulk([aRun({ reservation_id: ids[order[1]], cost_usd: "0.004" })]);
    expect(batch.status).toBe(409);
    expect((await org.budget()).spent_usd).toBe("0.004");
  }
});

test("the first of two runs in one batch settles, and the other is refused", async () => {
  const org = await newBudgeted();
  const { ids } = await allowedTwice(org);
  const { body } = await org.bulk(ids.map((reservation_id) => aRun({ reservation_id, cost_usd: "0.004" })));
  expect(body).toMatchObject({ accepted: 1, rejected: 1 });
  expect(body.results[1].error.code).toBe("conflict");
  expect((await org.budget()).spent_usd).toBe("0.004");
});

test("nothing is held for one that is reported after the other was settled", async () => {
  const org = await newBudgeted();
  const { ids, before, after } = await allowedTwice(org);
  await before.end();
  expect((await settle(org, ids[0])).status).toBe(201);
  await after.end();
  expect(await org.kept(ids[1])).toEqual([]);
  expect(await org.budget()).toMatchObject({ spent_usd: "0.004", reserved_usd: "0.00" });
  expect((await settle(org, ids[1])).status).toBe(409);
});

test("one that was released leaves the other to its run", async () => {
  const org = await newBudgeted();
  const { ids, before, after } = await allowedTwice(org);
  await before.end();
  expect((await org.release(ids[0])).status).toBe(204);
  await after.end();
  expect(await org.kept(ids[1])).toMatchObject([{ status: "open" }]);
  expect((await settle(org, ids[1])).status).toBe(201);
});

test("another fingerprint of the request has a reservation and an end of its own", async () => {
  const org = await newBudgeted();
  const { ids } = await allowedTwice(org);
  const other = { ...ASK, estimate: { cost_usd: "0.02" } };
  expect((await settle(org, ids[0])).status).toBe(201);
  expect((await settle(org, org.idOf(other, Date.now()))).status).toBe(201);
});
