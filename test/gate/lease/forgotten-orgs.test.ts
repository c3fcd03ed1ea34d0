import { expect, test } from "vitest";
import { gateOf, MOST_ORGS } from "../../../src/gate/gates.ts";

/** A hold that the isolate has not reported yet. */
function busy(orgId: string): void {
  const gate = gateOf(orgId);
  const slice = gate?.purse.slice("usd");
  if (gate === null || slice === undefined) throw new Error("no gate");
  slice.left = 5;
  slice.until = 2;
  expect(gate.purse.take([slice], [5], 1)).toBe(true);
}

test("an isolate with more orgs than it keeps forgets those with nothing outstanding, and only them", () => {
  for (let org = 0; org < MOST_ORGS; org += 1) {
    if (org % 3 === 0) busy(`org_${org}`);
    else gateOf(`org_${org}`);
  }
  const kept = gateOf("org_0");
  for (let org = 0; org < 2 * MOST_ORGS; org += 1) gateOf(`org_new_${org}`);
  expect(gateOf("org_0")).toBe(kept);
  for (let org = 0; org < MOST_ORGS; org += 3) expect(gateOf(`org_${org}`)?.purse.idle).toBe(false);
});

test("one whose orgs all have something outstanding takes no more: their calls are decided by their objects", () => {
  let taken = 0;
  while (taken < 2 * MOST_ORGS && gateOf(`org_busy_${taken}`) !== null) {
    busy(`org_busy_${taken}`);
    taken += 1;
  }
  expect(taken).toBeLessThanOrEqual(MOST_ORGS);
  expect(gateOf("org_one_too_many")).toBeNull();
});
