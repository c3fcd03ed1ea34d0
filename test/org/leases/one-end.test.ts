import { describe, expect, test } from "vitest";
import { type Budgeted, CENT, newBudgeted } from "../../support/budgeted.ts";
import { HELD_MS } from "../../support/lease-holder.ts";
import { aRun } from "../../support/ledger.ts";

/** A reservation has one end, whoever causes it, and whatever isolates report afterwards. */

const ASK = { request_id: "q", estimate: { cost_usd: "0.01" } };
const name = (id: string) => id.slice("rsv_".length);
const settle = (org: Budgeted, reservation_id: string) => org.run({ reservation_id, cost_usd: "0.004" });

/** A request that two isolates allowed. The first has reported it. */
async function allowedTwice(org: Budgeted, secondMs = 0, heldMs = HELD_MS) {
  const id = org.idOf(ASK);
  const [first, second] = [await org.isolate(), await org.isolate()];
  const now = Date.now() - 1000;
  first.hold(CENT, now, name(id), heldMs);
  second.hold(CENT, now + secondMs, name(id), heldMs);
  await first.end();
  return { id, second };
}

describe("a report of what another isolate allowed earlier", () => {
  test("does not revive a released reservation, and no run settles it", async () => {
    const org = await newBudgeted();
    const { id, second } = await allowedTwice(org);
    expect((await org.release(id)).status).toBe(204);
    await second.end();
    expect(await org.kept(id)).toEqual([{ status: "released", amount: String(CENT) }]);
    expect((await org.budget()).reserved_usd).toBe("0.00");
    expect((await settle(org, id)).body.error.code).toBe("conflict");
  });

  test("does not revive a settled reservation, and it cannot be released", async () => {
    const org = await newBudgeted();
    const { id, second } = await allowedTwice(org);
    expect((await settle(org, id)).status).toBe(201);
    await second.end();
    expect(await org.kept(id)).toEqual([{ status: "settled", amount: String(CENT) }]);
    expect(await org.budget()).toMatchObject({ spent_usd: "0.004", reserved_usd: "0.00" });
    expect((await org.release(id)).status).toBe(409);
    expect((await settle(org, id)).status).toBe(409);
  });

  test("does not revive an expired reservation, but what it allowed for longer stays held that long", async () => {
    const org = await newBudgeted();
    const { id, second } = await allowedTwice(org, 20_000, 30_000);
    await org.advance(30);
    expect(await org.kept(id)).toMatchObject([{ status: "expired" }]);
    await second.end();
    expect(await org.kept(id)).toMatchObject([{ status: "expired" }]);
    expect((await org.budget()).reserved_usd).toBe("0.01");
    expect((await settle(org, id)).status).toBe(201);
    await org.advance(60);
    expect(await org.budget()).toMatchObject({ spent_usd: "0.004", reserved_usd: "0.00" });
  });

  test.each([5000, null])(
    "holds its amount separately if its clock cannot tell before from after (%s)",
    async (lagMs) => {
      const org = await newBudgeted();
      const { id, second } = await allowedTwice(org);
      expect((await org.release(id)).status).toBe(204);
      second.lagMs = lagMs;
      await second.end();
      expect(await org.kept(id)).toMatchObject([{ status: "released" }]);
      expect((await org.budget()).reserved_usd).toBe("0.01");
      expect((await settle(org, id)).status).toBe(409);
      await org.advance(HELD_MS / 1000);
      expect((await org.budget()).reserved_usd).toBe("0.00");
    },
  );
});

test("what was allowed again after a release is held, and its run is recorded", async () => {
  const org = await newBudgeted();
  const { id, second } = await allowedTwice(org);
  expect((await org.release(id)).status).toBe(204);
  await second.end();
  const third = await org.isolate();
  third.hold(CENT, Date.now() + 5, name(id));
  await third.end();
  expect(await org.kept(id)).toMatchObject([{ status: "open" }]);
  expect((await org.budget()).reserved_usd).toBe("0.01");
  expect((await settle(org, id)).status).toBe(201);
});

test("a reservation that was released after it expired can no longer be settled", async () => {
  const org = await newBudgeted();
  const { id } = (await org.decide("1", { hold_seconds: 60 })).body.reservation;
  await org.advance(61);
  expect((await org.release(id)).status).toBe(204);
  expect((await settle(org, id)).body.error.code).toBe("conflict");
  expect((await org.release(id)).status).toBe(204);
});

test("of a concurrent release and settlement, one wins: alone, in bulk, and with a report between them", async () => {
  const org = await newBudgeted();
  for (let round = 0; round < 12; round += 1) {
    const isolate = await org.isolate();
    const id = org.idOf({ ...ASK, request_id: `r${round}` });
    const held = isolate.hold(CENT, Date.now(), round % 2 === 0 ? undefined : name(id)) ?? "";
    const run = aRun({ reservation_id: held, cost_usd: "0.004" });
    const asks = [
      () => org.release(held).then(({ status }) => status === 204),
      () =>
        round % 3 === 0
          ? org.bulk([run, run]).then(({ body }) => body.accepted === 1)
          : org.run(run).then(({ status }) => status === 201),
      () => isolate.report().then(() => null),
    ];
    const done = await Promise.all((round % 4 < 2 ? asks : asks.toReversed()).map((ask) => ask()));
    expect(done.filter((one) => one === true)).toHaveLength(1);
    await isolate.end();
    const [kept] = await org.kept(held);
    expect(["released", "settled"]).toContain(kept?.status);
  }
});

describe("a hold that is reported after it ended", () => {
  test.each([
    ["of a call without a request id", undefined],
    ["of a request", "01ARZ3NDEKTSV4RRFFQ69G5FAV"],
  ])("%s expires, and its run is recorded and charged", async (_of, named) => {
    const org = await newBudgeted();
    const isolate = await org.isolate();
    const id = isolate.hold(CENT, Date.now(), named, 30_000) ?? "";
    await org.advance(36);
    await isolate.end();
    await org.advance(1);
    expect(await org.kept(id)).toMatchObject([{ status: "expired" }]);
    expect((await org.events("reservation.expired")).map(({ data }) => data["reservation_id"])).toEqual([id]);
    expect((await org.budget()).reserved_usd).toBe("0.00");
    expect((await settle(org, id)).status).toBe(201);
    expect(await org.budget()).toMatchObject({ spent_usd: "0.004", reserved_usd: "0.00" });
    expect((await settle(org, id)).status).toBe(409);
  });
});
