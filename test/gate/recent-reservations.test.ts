import { expect, test } from "vitest";
import { requestNumber } from "../../src/domain/reservation/reservation-id.ts";
import { RecentReservations, ReservationTotal } from "../../src/gate/decision/recent-reservations.ts";
import { OrgGate } from "../../src/gate/org-gate.ts";
import { AllowCache } from "../../src/gate/decision/allow-cache.ts";

const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const id = (index: number) =>
  `rsv_00000000000000000000${Array.from({ length: 6 }, (_, at) => LETTERS.charAt((index >>> (at * 5)) & 31)).join("")}`;
const told = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => requestNumber(id(from + index)));

test("an isolate keeps the latest 10,000 requests that it was told of, and at most 20,000", () => {
  const recent = new RecentReservations(new ReservationTotal());
  const most = 100_000;
  for (let from = 0; from < most; from += 4000) {
    recent.merge(recent.mark, { numbers: told(from, from + 4000), mark: `1 ${from + 4000}` });
  }
  let kept = 0;
  for (let index = 0; index < most; index += 1) if (recent.has(id(index))) kept += 1;
  for (let index = most - 10_000; index < most; index += 1) expect(recent.has(id(index))).toBe(true);
  expect(kept).toBeLessThanOrEqual(20_000);
});

test("an answer to an older ask leaves no gap: what it would skip is sent again", () => {
  const recent = new RecentReservations(new ReservationTotal());
  recent.merge("", { numbers: told(0, 2), mark: "1 2" });
  const late = recent.mark;
  recent.forget();
  recent.merge(late, { numbers: told(2, 3), mark: "1 3" });
  expect([recent.mark, recent.has(id(0)), recent.has(id(2))]).toEqual(["", false, false]);
  recent.merge("", { numbers: told(0, 3), mark: "1 3" });
  expect([0, 1, 2, 3].map((index) => recent.has(id(index)))).toEqual([true, true, true, false]);
});

test("an org without traffic keeps nothing, and is told everything when it comes back", async () => {
  const gate = new OrgGate("isolate", new AllowCache());
  gate.reservations.merge("", { numbers: told(0, 2), mark: "1 2" });
  expect(gate.reservations.has(id(1))).toBe(true);
  const work: Promise<unknown>[] = [];
  gate.keep(1, [], {
    object: () => {
      throw new Error("nothing is asked");
    },
    waitUntil: (running) => void work.push(running),
    now: () => 1,
    wait: async () => undefined,
  });
  await Promise.all(work);
  expect([gate.reservations.mark, gate.reservations.has(id(1))]).toEqual(["", false]);
});

test("orgs of one host keep at most 500,000 requests together, and each keeps its latest", () => {
  const total = new ReservationTotal();
  const orgs = Array.from({ length: 100 }, () => new RecentReservations(total));
  const numbers = told(0, 12_000);
  for (const recent of orgs) {
    recent.merge("", { numbers, mark: "1 12000" });
    expect([11_900, 11_999].map((index) => recent.has(id(index)))).toEqual([true, true]);
  }
  expect(total.numbers).toBeGreaterThan(400_000);
  expect(total.numbers).toBeLessThanOrEqual(500_000 + orgs.length * 200);
  for (const recent of orgs) recent.forget();
  expect(total.numbers).toBe(0);
});
