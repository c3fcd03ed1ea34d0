import { expect, test } from "vitest";
import { newSpender } from "../support/ledger.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

test("a spend cap refuses what would exceed it, says when it resets, and says pre_flight for decisions", async () => {
  const org = await newSpender();
  const set = await org.send("PUT", "spend-cap", { cap_usd: "2", timezone: "Asia/Kolkata" });
  expect(set.body).toMatchObject({ cap_usd: "2.00", spent_usd: "0.00", timezone: "Asia/Kolkata" });
  expect(set.body.resets_at).toMatch(/T00:00:00\.000\+05:30$/);
  await org.run({ cost_usd: "1.5" });
  const details = { cap_usd: "2.00", spent_usd: "1.50", resets_at: set.body.resets_at };
  const refused = await org.run();
  expect([refused.status, refused.body.error.code]).toEqual([402, "spend_cap_exceeded"]);
  expect(refused.body.error.details).toEqual(details);
  expect((await org.decide("1")).body.error.details).toEqual({ ...details, reason: "pre_flight" });
  expect(await org.events("spend_cap.exceeded")).toHaveLength(1);
});

test("a spend cap lasts the whole day and resets at its end, even on days of 23 and 25 hours", async () => {
  const org = await newSpender();
  await org.send("PUT", "spend-cap", { cap_usd: "1", timezone: "Europe/Berlin" });
  const resetsAt = async () => Date.parse((await org.send("GET", "spend-cap")).body.resets_at);
  let now = await org.advance(1);
  const moveTo = async (ms: number) => (now = await org.advance(Math.ceil((ms - now) / 1000)));
  const hours: number[] = [];
  for (let change = 0; change < 2; change++) {
    await moveTo(nextChange(now) - 20 * HOUR_MS);
    const start = await resetsAt();
    await moveTo(start);
    const end = await resetsAt();
    hours.push((end - start) / HOUR_MS);
    expect((await org.run()).status).toBe(201);
    await moveTo(end - MINUTE_MS);
    expect((await org.run()).body.error?.code).toBe("spend_cap_exceeded");
    await moveTo(end);
    expect((await org.run()).status).toBe(201);
  }
  expect(new Set(hours)).toEqual(new Set([23, 25]));
});

/** The next last Sunday of March or October, 01:00 UTC, when European clocks change. */
function nextChange(now: number): number {
  for (let day = Math.ceil(now / DAY_MS) + 2; ; day++) {
    const date = new Date(day * DAY_MS + HOUR_MS);
    const isLastSunday = date.getUTCDay() === 0 && date.getUTCDate() > 24;
    if (isLastSunday && (date.getUTCMonth() === 2 || date.getUTCMonth() === 9)) return date.getTime();
  }
}

test("a spend cap in a new time zone recounts that day; a removed cap limits nothing and is not found", async () => {
  const org = await newSpender();
  await org.send("PUT", "spend-cap", { cap_usd: "5" });
  await org.run();
  const moved = await org.send("PUT", "spend-cap", { cap_usd: "4", timezone: "Pacific/Kiritimati" });
  expect(moved.body).toMatchObject({ cap_usd: "4.00", timezone: "Pacific/Kiritimati" });
  expect(["0.00", "1.00"]).toContain(moved.body.spent_usd);
  expect((await org.send("DELETE", "spend-cap")).status).toBe(204);
  expect((await org.send("GET", "spend-cap")).status).toBe(404);
  expect((await org.run({ cost_usd: "100" })).status).toBe(201);
});

test.each([["Mars/Olympus"], ["+01:00"], [""]])("%j is not a time zone", async (timezone) => {
  const org = await newSpender();
  const refused = await org.send("PUT", "spend-cap", { cap_usd: "1", timezone });
  expect(refused.status).toBe(422);
  expect(refused.body.error.details.fields[0].field).toBe("timezone");
});

test("a spend cap that was deleted and set anew counts no earlier run, in another time zone either", async () => {
  const org = await newSpender();
  // Around noon, so that it is the same day all along.
  const now = await org.advance(1);
  await org.advance(Math.ceil((Math.ceil(now / DAY_MS) * DAY_MS + DAY_MS / 2 - now) / 1000));
  const set = (timezone: string) => org.send("PUT", "spend-cap", { cap_usd: "100", timezone });
  expect((await set("UTC")).status).toBe(200);
  expect((await org.run({ cost_usd: "2" })).status).toBe(201);
  expect((await org.send("DELETE", "spend-cap")).status).toBe(204);
  await org.advance(1);
  expect((await set("UTC")).body.spent_usd).toBe("0.00");
  expect((await org.run({ cost_usd: "1" })).status).toBe(201);
  expect((await set("Europe/Berlin")).body.spent_usd).toBe("1.00");
});
