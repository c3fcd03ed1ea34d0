import * as fc from "fast-check";
import { expect, test } from "vitest";
import { NameFilter, nameProbe } from "../../../src/storage/segments/name-filter.ts";

test("a filter never denies a name that is present", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 300 }), (names) => {
      const filter = NameFilter.read(NameFilter.of(names).stored);
      for (const name of names) expect(filter.mayHave(nameProbe([name]))).toBe(true);
      expect(filter.mayHave(nameProbe(names))).toBe(true);
    }),
  );
});

test("a filter denies nearly every absent name, including names of another column", () => {
  const filter = NameFilter.of(Array.from({ length: 1000 }, (_, at) => `7 chain-${at}`));
  const seeming = Array.from({ length: 10_000 }, (_, at) => `7 other-${at}`).filter((one) =>
    filter.mayHave(nameProbe([one])),
  );
  expect(seeming.length).toBeLessThan(10);
  expect(filter.mayHave(nameProbe(["8 chain-1"]))).toBe(false);
  expect(filter.mayHave(nameProbe(["7 chain-1", "8 chain-1"]))).toBe(false);
});
