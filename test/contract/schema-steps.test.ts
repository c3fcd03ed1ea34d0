import { expect, test } from "vitest";
import { changedSteps, stepDigests, unlistedSteps } from "../../scripts/frozen-contract/schema-steps.ts";
import frozen from "./schema-steps.json" with { type: "json" };

const current = stepDigests("migrations");

test("no published schema step is changed or removed", () => {
  expect(changedSteps(frozen, current)).toEqual([]);
});

test("every schema step is listed with its digest: npm run freeze adds new ones", () => {
  expect(unlistedSteps(frozen, current)).toEqual([]);
});

test("objects, counters, the registry and D1 are all covered", () => {
  for (const name of ["org runs/1", "counters 0", "registry 0", "d1 0001_baseline.sql"]) {
    expect(Object.keys(frozen)).toContain(name);
  }
});

test("an edited, removed or added step is detected", () => {
  const [name = ""] = Object.keys(frozen);
  expect(changedSteps(frozen, { ...current, [name]: "edited" })).toEqual([
    `${name}: changed; restore it and append a new step`,
  ]);
  const { [name]: _, ...rest } = current;
  expect(changedSteps(frozen, rest)).toEqual([`${name}: gone`]);
  expect(unlistedSteps(frozen, { ...current, "org new/1": "x" })).toEqual(["org new/1"]);
});
