import { expect, test } from "vitest";
import { ask, decidedAt, limited, LIMIT_NAMES, LIMITS, refusedAtEdge } from "../support/limited.ts";

/** The object makes, and announces, the first refusal. After that, an isolate repeats it by itself. */

test.each(LIMIT_NAMES)("the first refusal of a %s is announced, once", async (limit) => {
  const org = await limited(limit);
  // Enough calls for the isolate to learn the state of the limit.
  for (let asked = 0; asked < 4; asked += 1) expect((await ask(org, "2")).status).toBe(200);
  expect(await refusedAtEdge(org)).not.toEqual([]);
  await refusedAtEdge(org);
  expect(await org.events(LIMITS[limit].event)).toHaveLength(1);
});

test("an isolate refuses by itself only amounts that the object refused, and larger ones", async () => {
  const org = await limited("budget");
  expect((await ask(org)).status).toBe(200);
  await refusedAtEdge(org, "8");
  expect(decidedAt(await ask(org, "9"))).toBe("edge");
  const smaller = await ask(org, "7");
  expect([smaller.status, decidedAt(smaller)]).toEqual([402, "object"]);
  expect(decidedAt(await ask(org, "7"))).toBe("edge");
  expect(decidedAt(await ask(org, "8"))).toBe("edge");
  expect((await ask(org, "3")).status).toBe(200);
});

test("a dry run that would be refused leaves the first refusal to the object", async () => {
  const org = await limited("budget");
  expect((await ask(org)).status).toBe(200);
  for (let asked = 0; asked < 4; asked += 1) {
    expect((await org.decide("6", { dry_run: true })).body.decision).toBe("deny");
  }
  expect(await refusedAtEdge(org)).not.toEqual([]);
  expect(await org.events("budget.exceeded")).toHaveLength(1);
});

test("a call that is refused for another reason leaves the first refusal to the object", async () => {
  const org = await limited("budget");
  expect((await org.decide("6", { request_id: "q" })).status).toBe(200);
  for (let asked = 0; asked < 4; asked += 1) {
    expect((await org.decide("7", { request_id: "q" })).status).toBe(409);
  }
  expect(await refusedAtEdge(org, "7")).not.toEqual([]);
  expect(await org.events("budget.exceeded")).toHaveLength(1);
});
