import { expect, test } from "vitest";
import { entryProblem } from "../../../src/domain/network/access.ts";

const OPEN = { ipAllowList: [], regions: null };
const HERE = { address: "198.51.100.1", region: "eu" };

test("an org without rules allows any address and region", () => {
  expect(entryProblem(OPEN, HERE)).toBeNull();
  expect(entryProblem(OPEN, { address: null, region: "us" })).toBeNull();
});

test("an address that is unknown or outside the list is refused", () => {
  const rules = { ...OPEN, ipAllowList: ["198.51.100.0/24", "2001:db8::/32"] };
  expect(entryProblem(rules, HERE)).toBeNull();
  expect(entryProblem(rules, { ...HERE, address: "2001:db8::1" })).toBeNull();
  for (const address of ["203.0.113.1", "", null, "nonsense"]) {
    expect([address, entryProblem(rules, { ...HERE, address })]).toEqual([address, "ip_not_allowed"]);
  }
});

test("a list that cannot be parsed allows no one", () => {
  expect(entryProblem({ ...OPEN, ipAllowList: ["nonsense"] }, HERE)).toBe("ip_not_allowed");
});

test("an excluded region is refused, after the address", () => {
  const rules = { ipAllowList: ["198.51.100.1"], regions: ["us"] };
  expect(entryProblem(rules, HERE)).toBe("residency_violation");
  expect(entryProblem(rules, { ...HERE, region: "us" })).toBeNull();
  expect(entryProblem(rules, { address: "203.0.113.1", region: "eu" })).toBe("ip_not_allowed");
});
