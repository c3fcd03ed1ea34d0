import { expect, test, vi } from "vitest";
import { type Budgeted, CENT, newBudgeted } from "../../support/budgeted.ts";
import { rowsOf } from "../../support/rows.ts";
import { PATIENT } from "../../support/patience.ts";

/** Reservations that ended so long ago that nothing of them is stored have had their end all the same. */

const DAY = 86_400;
const ASK = { request_id: "q", estimate: { cost_usd: "0.01" } };
const settle = (org: Budgeted, reservation_id: string) => org.run({ reservation_id, cost_usd: "0.004" });
const MADE = ["of a request", "without a request id"] as const;

/** Moves the clock beyond the time for which ended reservations are kept, and waits until they are deleted. */
async function forget(org: Budgeted, id: string): Promise<number> {
  const now = await org.advance(3 * DAY);
  await vi.waitUntil(async () => (await org.kept(id)).length === 0, PATIENT);
  const sweeps = () => rowsOf(org.id, "SELECT 1 FROM due WHERE kind = 'retention.usage'");
  await vi.waitUntil(async () => (await sweeps()).length === 0, PATIENT);
  return now;
}

test.each(["settle", "release"] as const)(
  "the reservation of a request that was ended (%s) is not settled or released days later, although isolates have slices",
  async (end) => {
    const org = await newBudgeted();
    const { id } = (await org.decide("0.01", { request_id: "q" })).body.reservation;
    const ended = end === "settle" ? await settle(org, id) : await org.release(id);
    expect(ended.status).toBe(end === "settle" ? 201 : 204);
    const spent = (await org.budget()).spent_usd;
    await forget(org, id);
    await org.isolate();
    const late = await settle(org, id);
    expect([late.status, late.body.error?.details.fields[0]]).toMatchObject([
      422,
      { field: "reservation_id" },
    ]);
    expect((await org.release(id)).status).toBe(404);
    expect((await org.budget()).spent_usd).toBe(spent);
  },
);

test.each(MADE)(
  "a report that comes days after the end of a reservation %s does not revive it",
  async (made) => {
    const org = await newBudgeted();
    const isolate = await org.isolate();
    const name = made === "of a request" ? org.idOf(ASK).slice("rsv_".length) : undefined;
    const id = isolate.hold(CENT, Date.now(), name) ?? "";
    expect((await settle(org, id)).status).toBe(201);
    await forget(org, id);
    await isolate.end();
    expect(await org.kept(id)).toEqual([]);
    expect((await settle(org, id)).status).toBe(422);
    expect((await org.release(id)).status).toBe(404);
    expect((await org.budget()).reserved_usd).toBe("0.00");
  },
);

test("a report that comes weeks after a reservation expired does not revive it", async () => {
  const org = await newBudgeted();
  const id = org.idOf(ASK);
  const [first, second] = [await org.isolate(), await org.isolate()];
  const now = Date.now();
  first.hold(CENT, now, id.slice("rsv_".length), 30_000);
  second.hold(CENT, now + 10_000, id.slice("rsv_".length), 30_000);
  await first.end();
  await org.advance(60);
  expect(await org.kept(id)).toMatchObject([{ status: "expired" }]);
  await org.advance(8 * DAY);
  await vi.waitUntil(async () => (await org.kept(id)).length === 0, PATIENT);
  await second.end();
  expect(await org.kept(id)).toEqual([]);
  expect((await settle(org, id)).status).toBe(422);
});

test("a reservation that was made after all that are forgotten is kept when it is reported", async () => {
  const org = await newBudgeted();
  const { id: old } = (await org.decide("0.01")).body.reservation;
  expect((await org.release(old)).status).toBe(204);
  const now = await forget(org, old);
  for (const ask of [ASK, undefined]) {
    const isolate = await org.isolate();
    const name = ask === undefined ? undefined : org.idOf(ask, now).slice("rsv_".length);
    const id = isolate.hold(CENT, now, name) ?? "";
    await isolate.end();
    expect(await org.kept(id)).toMatchObject([{ status: "open" }]);
    expect((await settle(org, id)).status).toBe(201);
  }
});

test("a request that is asked again after its reservation is forgotten gets another one, with an end of its own", async () => {
  const org = await newBudgeted();
  const { id } = (await org.decide("0.01", { request_id: "q" })).body.reservation;
  expect((await settle(org, id)).status).toBe(201);
  await forget(org, id);
  const again = (await org.decide("0.01", { request_id: "q" })).body.reservation;
  expect(again.id).not.toBe(id);
  expect((await settle(org, again.id)).status).toBe(201);
  expect((await settle(org, again.id)).status).toBe(409);
});

test("a request that is asked again on another day is told its standing reservation, and no other fingerprint", async () => {
  const org = await newBudgeted();
  const first = await org.decide("0.01", { request_id: "q", hold_seconds: DAY });
  await org.advance(DAY - 3600);
  const again = await org.decide("0.01", { request_id: "q", hold_seconds: DAY });
  expect(again.body.reservation).toEqual(first.body.reservation);
  expect((await org.decide("0.02", { request_id: "q", hold_seconds: DAY })).status).toBe(409);
});
