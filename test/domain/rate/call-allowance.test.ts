import { expect, test } from "vitest";
import { CallAllowance } from "../../../src/domain/rate/call-allowance.ts";

const BILLION = 1_000_000_000;

test("a key is believed as many calls as it can have had since it was last heard of", () => {
  const allowance = new CallAllowance();
  expect(allowance.take("a", BILLION, 0)).toBe(50_000);
  expect(allowance.take("a", BILLION, 0)).toBe(0);
  expect(allowance.take("a", BILLION, 1_500)).toBe(7_500);
  expect(allowance.take("a", 100, 2_500)).toBe(100);
  expect(allowance.take("a", BILLION, 2_500)).toBe(4_900);
  expect(allowance.take("a", BILLION, 3_600_000)).toBe(300_000);
});

test("keys are counted apart, and a clock that goes back adds nothing", () => {
  const allowance = new CallAllowance();
  expect(allowance.take("a", BILLION, 10_000)).toBe(50_000);
  expect(allowance.take("b", 7, 10_000)).toBe(7);
  expect(allowance.take("a", BILLION, 5_000)).toBe(0);
});
