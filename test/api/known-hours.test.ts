import { expect, test } from "vitest";
import { readHours } from "../../src/api/usage/known-hours.ts";
import { refuse } from "../../src/contract/refusal.ts";
import type { OrgDoor } from "../../src/edge/object/org-door.ts";

/** A door whose steps end after so many. */
function doorOf(steps: number): { readonly door: OrgDoor; readonly asked: () => number } {
  let asked = 0;
  const query = async () => {
    asked += 1;
    const next = asked < steps ? { run: asked, replacement: 1 } : null;
    return { body: { spends: [[1, "user", "ada", 2, 1]], next } };
  };
  return { door: { query } as unknown as OrgDoor, asked: () => asked };
}

test("hours of all steps are added up", async () => {
  expect(await readHours(doorOf(3).door)).toEqual([[1, "user", "ada", 6, 3]]);
});

test("no more than ten steps are read, and what is not complete is not used", async () => {
  const { door, asked } = doorOf(1000);
  expect(await readHours(door)).toBeNull();
  expect(asked()).toBe(10);
});

test("hours that cannot be read are left out", async () => {
  const query = () => Promise.resolve(refuse("service_unavailable"));
  expect(await readHours({ query } as unknown as OrgDoor)).toBeNull();
});
