import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { placementOf } from "../../../src/domain/region/residency.ts";

const region = fc.constantFrom("eu", "us", "ap");
const residency = fc.record({
  homeRegion: region,
  regions: fc.option(fc.subarray(["eu", "us", "ap"]), { nil: null }),
});
const call = fc.record({ region, writes: fc.boolean(), exempt: fc.boolean() });

describe("a call", () => {
  test("in a region that the rule excludes is refused, never forwarded, unless exempt", () => {
    fc.assert(
      fc.property(residency, call, (rule, made) => {
        const excluded = rule.regions !== null && !rule.regions.includes(made.region);
        expect(placementOf(rule, made) === "refuse").toBe(excluded && !made.exempt);
      }),
    );
  });

  test("in the home region is never forwarded, and neither is a read", () => {
    fc.assert(
      fc.property(residency, call, (rule, made) => {
        const goesHome = placementOf(rule, made) === "forward";
        expect(goesHome && (made.region === rule.homeRegion || !made.writes)).toBe(false);
      }),
    );
  });

  test("that writes outside the home region is forwarded", () => {
    const rule = { homeRegion: "eu", regions: null };
    expect(placementOf(rule, { region: "us", writes: true, exempt: false })).toBe("forward");
    expect(placementOf(rule, { region: "us", writes: false, exempt: false })).toBe("serve");
  });
});
