import { afterAll, beforeAll, expect, test } from "vitest";
import { allowed, type Answer, Isolates } from "../../support/isolates.ts";

/** An object that hangs: it is not dead, which would make every call fail, but no call to it ever ends. */

let isolates: Isolates;
beforeAll(async () => {
  isolates = await Isolates.start();
});
afterAll(() => isolates.end());

function expectUnavailable({ status, body }: Answer): void {
  expect(status).toBe(503);
  expect(body.error).toMatchObject({ code: "service_unavailable", details: {} });
}

test("a decision whose object hangs is 503, whether or not its key was known", async () => {
  const org = await isolates.newOrg();
  expect((await isolates.decide(org, 1)).status).toBe(200);
  for (const isolate of [1, 2]) await isolates.make(isolate, "hang", org.id);
  const answers = await Promise.all([isolates.decide(org, 1), isolates.decide(org, 2)]);
  answers.forEach(expectUnavailable);
  for (const isolate of [1, 2]) await isolates.make(isolate, "answer", org.id);
  expect((await isolates.decide(org, 1)).status).toBe(200);
  expect((await isolates.decide(org, 2)).status).toBe(200);
});

test("an isolate with slices whose object hangs admits only what they hold, then returns 503", async () => {
  const org = await isolates.newOrg();
  const id = await isolates.budget(org, "100");
  const before = await isolates.drive(org, 160);
  expect(allowed(before)).toHaveLength(160);
  for (const isolate of [0, 1, 2, 3]) await isolates.make(isolate, "hang", org.id);
  const meanwhile: Answer[] = [];
  const isRefused = async () => {
    const answers = await isolates.drive(org, 16);
    meanwhile.push(...answers);
    return allowed(answers).length === 0;
  };
  await expect.poll(isRefused).toBe(true);
  meanwhile.filter(({ status }) => status !== 200).forEach(expectUnavailable);
  for (const isolate of [0, 1, 2, 3]) await isolates.make(isolate, "answer", org.id);
  const held = 160 + allowed(meanwhile).length;
  expect(held).toBeLessThanOrEqual(10_000);
  await isolates.drive(org, 4);
  await isolates.reserves(org, id, ((held + 4) / 100).toFixed(2));
});
