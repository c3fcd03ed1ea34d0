import { describe, expect, test } from "vitest";
import { ReservationIds } from "../../../src/domain/reservation/reservation-id.ts";
import { newId } from "../../../src/domain/bytes/ulid.ts";
import { fingerprintOf } from "../../../src/gate/decision/request-fingerprint.ts";
import { type Budgeted, CENT, newBudgeted } from "../../support/budgeted.ts";
import { aRun, newSpender } from "../../support/ledger.ts";
import { LeaseHolder } from "../../support/lease-holder.ts";
import { rowsOf } from "../../support/rows.ts";
import { env } from "../../support/worker.ts";
import { AUDIT_ROWS } from "../../support/logs.ts";

/** Runs of reservations that the object does not know, while an isolate has slices that may have paid for them. */

const ASK = { request_id: "q", estimate: { cost_usd: "0.01" } };
const settle = (org: Budgeted, reservation_id: string) => org.run({ reservation_id, cost_usd: "0.004" });

/** Holds of a lost isolate, with and without a request id. */
const MADE = {
  "without a request id": undefined,
  "of a request": ASK,
} as const;

async function unreported(org: Budgeted, of: keyof typeof MADE) {
  const isolate = await org.isolate();
  const ask = MADE[of];
  const named = ask === undefined ? undefined : org.idOf(ask).slice("rsv_".length);
  return { isolate, id: isolate.hold(CENT, Date.now(), named) ?? "" };
}

describe.each(Object.keys(MADE) as (keyof typeof MADE)[])(
  "a reservation %s that was never reported",
  (of) => {
    test("is settled by its run once, however it is sent again", async () => {
      const org = await newBudgeted();
      const { id } = await unreported(org, of);
      expect((await settle(org, id)).status).toBe(201);
      const again = await settle(org, id);
      expect([again.status, again.body.error.code]).toEqual([409, "conflict"]);
      const run = aRun({ reservation_id: id, cost_usd: "0.004" });
      expect((await org.bulk([run, run])).status).toBe(409);
      expect((await org.release(id)).status).toBe(409);
      expect((await org.budget()).spent_usd).toBe("0.004");
    });

    test("is settled by the first of two runs in a batch", async () => {
      const org = await newBudgeted();
      const { id } = await unreported(org, of);
      const run = aRun({ reservation_id: id, cost_usd: "0.004" });
      const { body } = await org.bulk([run, run]);
      expect(body).toMatchObject({ accepted: 1, rejected: 1 });
      expect(body.results[1].error.code).toBe("conflict");
    });

    test("is released once asked, and then neither settled nor held when it is reported after all", async () => {
      const org = await newBudgeted();
      const { id, isolate } = await unreported(org, of);
      expect((await org.release(id)).status).toBe(204);
      expect((await org.release(id)).status).toBe(204);
      const late = await settle(org, id);
      expect([late.status, late.body.error.code]).toEqual([409, "conflict"]);
      expect((await org.bulk([aRun({ reservation_id: id })])).status).toBe(409);
      await isolate.end();
      expect(await org.kept(id)).toMatchObject([{ status: "released" }]);
      expect((await settle(org, id)).status).toBe(409);
      expect(await org.budget()).toMatchObject({ spent_usd: "0.00", reserved_usd: "0.00" });
      const entries = await rowsOf<{ target: string }>(
        org.id,
        `SELECT target FROM ${AUDIT_ROWS} WHERE action = 'reservation.released'`,
      );
      expect(entries[0]).toEqual({ target: id });
    });

    test("stays settled if it is reported later, and nothing is held for it", async () => {
      const org = await newBudgeted();
      const { id, isolate } = await unreported(org, of);
      expect((await settle(org, id)).status).toBe(201);
      await isolate.end();
      expect(await org.kept(id)).toMatchObject([{ status: "settled" }]);
      expect(await org.budget()).toMatchObject({ spent_usd: "0.004", reserved_usd: "0.00" });
      expect((await settle(org, id)).status).toBe(409);
      expect((await org.release(id)).status).toBe(409);
    });
  },
);

test("a request whose unreported reservation was settled gets the same reservation again, and refuses another fingerprint", async () => {
  const org = await newBudgeted();
  const { id } = await unreported(org, "of a request");
  await settle(org, id);
  const again = await org.decide("0.01", { request_id: "q" });
  expect(again.body.reservation).toMatchObject({ id, amount_usd: "0.01" });
  expect((await org.decide("0.02", { request_id: "q" })).status).toBe(409);
});

test("a run of a lost reservation is charged to the period in which it was made", async () => {
  const org = await newBudgeted();
  const at = Date.now() - 5000;
  const isolate = await org.isolate();
  const id = isolate.hold(CENT, at) ?? "";
  expect((await settle(org, id)).body.charged_at).toBe(new Date(at).toISOString());
});

describe("an id that was never given out is refused at once, even if isolates have slices:", () => {
  test.each([
    ["a made-up one", () => newId("rsv", Date.now())],
    ["no ULID", () => "rsv_1"],
    ["another org's", async () => (await newBudgeted()).ids.newId(Date.now())],
    ["another org's, of a request", async () => (await newBudgeted()).idOf(ASK)],
  ])("%s", async (_what, made) => {
    const org = await newBudgeted();
    await org.isolate();
    const id = await made();
    const fieldOf = (answer: Awaited<ReturnType<typeof settle>>) => [
      answer.status,
      answer.body.error.details.fields[0].field,
    ];
    expect(fieldOf(await settle(org, id))).toEqual([422, "reservation_id"]);
    const batch = await org.bulk([aRun({ reservation_id: id })]);
    expect(fieldOf(batch)).toEqual([422, "runs[0].reservation_id"]);
    expect((await org.release(id)).status).toBe(404);
    expect((await org.budget()).spent_usd).toBe("0.00");
  });
});

test("an id so old that its reservation may have ended and been deleted is refused", async () => {
  const org = await newBudgeted();
  await org.isolate();
  const day = 86_400_000;
  expect((await settle(org, org.ids.newId(Date.now() - day - 1000))).status).toBe(422);
  expect((await settle(org, org.ids.newId(Date.now() - day + 60_000))).status).toBe(201);
});

test("a reservation in an org without limits is settled before its report, by its request id as well", async () => {
  const org = await newSpender();
  const isolate = new LeaseHolder(org.id);
  await isolate.lease(CENT);
  const ids = new ReservationIds(env.SVC_KEY_PEPPER, org.id);
  const id = ids.idOf("q", fingerprintOf(ASK), Date.now());
  isolate.hold(CENT, Date.now(), id.slice("rsv_".length));
  const settled = await org.run({ reservation_id: id, cost_usd: "0.004" });
  expect(settled.status).toBe(201);
  await isolate.end();
  expect((await org.run({ reservation_id: id, cost_usd: "0.004" })).status).toBe(409);
});

test("an id without a check is refused, also while an isolate has slices that may have paid for it", async () => {
  const org = await newBudgeted();
  await org.isolate();
  const id = newId("rsv", Date.now());
  expect((await settle(org, id)).status).toBe(422);
  expect((await org.release(id)).status).toBe(404);
});
