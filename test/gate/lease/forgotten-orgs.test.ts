import { expect, test } from "vitest";
import { Gates, MOST_ORGS } from "../../../src/gate/gates.ts";

const newGates = () => new Gates(() => crypto.randomUUID());

/** A hold that the isolate has not reported yet. */
function busy(gates: Gates, orgId: string): void {
  const gate = gates.of(orgId);
  const slice = gate?.leaseClient.slice("usd");
  if (gate === null || slice === undefined) throw new Error("no gate");
  slice.left = 5;
  slice.until = 2;
  expect(gate.leaseClient.take([slice], [5], 1)).toBe(true);
}

test("an isolate with too many orgs forgets only those with nothing outstanding", () => {
  const gates = newGates();
  for (let org = 0; org < MOST_ORGS; org += 1) {
    if (org % 3 === 0) busy(gates, `org_${org}`);
    else gates.of(`org_${org}`);
  }
  const kept = gates.of("org_0");
  for (let org = 0; org < 2 * MOST_ORGS; org += 1) gates.of(`org_new_${org}`);
  expect(gates.of("org_0")).toBe(kept);
  for (let org = 0; org < MOST_ORGS; org += 3) expect(gates.of(`org_${org}`)?.leaseClient.idle).toBe(false);
});

test("an isolate whose orgs all have something outstanding takes no more: their objects decide", () => {
  const gates = newGates();
  let taken = 0;
  while (taken < 2 * MOST_ORGS && gates.of(`org_busy_${taken}`) !== null) {
    busy(gates, `org_busy_${taken}`);
    taken += 1;
  }
  expect(taken).toBe(MOST_ORGS);
  expect(gates.of("org_one_too_many")).toBeNull();
});

test("hosts in one isolate share no org, and each gate has its own name", () => {
  const [one, other] = [newGates(), newGates()];
  const [here, there] = [one.of("org_A"), other.of("org_A")];
  if (here === null || there === null) throw new Error("no gate");
  expect(here).not.toBe(there);
  expect(here.allows).not.toBe(there.allows);
  expect(one.of("org_B")?.allows).toBe(here.allows);
  const names = [here, there, one.of("org_B")].map((gate) => gate?.leaseClient.ask(1).holder);
  expect(new Set(names).size).toBe(3);
});
