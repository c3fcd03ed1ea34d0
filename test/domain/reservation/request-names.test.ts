import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RequestNames, requestNamesKey } from "../../../src/domain/reservation/request-names.ts";

const names = new RequestNames(requestNamesKey("p".repeat(32), "org_A"));

test("a request has one name in every isolate, and the name is a ULID", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 128 }), (requestId) => {
      expect(new RequestNames(requestNamesKey("p".repeat(32), "org_A")).of(requestId)).toBe(
        names.of(requestId),
      );
      expect(names.of(requestId)).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    }),
  );
});

test("no two of 100,000 requests share a name, and every bit of it is used", () => {
  const seen = new Set<string>();
  const ones = Array.from({ length: 26 }, () => new Set<string>());
  for (let index = 0; index < 100_000; index += 1) {
    const name = names.of(`req_${index}`);
    seen.add(name);
    for (const [at, letter] of name.split("").entries()) ones[at]?.add(letter);
  }
  expect(seen.size).toBe(100_000);
  expect(ones.map((letters) => letters.size)).toEqual([8, ...Array.from({ length: 25 }, () => 32)]);
});

test("the same request has different names in other orgs and under other peppers", () => {
  expect(new RequestNames(requestNamesKey("p".repeat(32), "org_B")).of("req_1")).not.toBe(names.of("req_1"));
  expect(new RequestNames(requestNamesKey("q".repeat(32), "org_A")).of("req_1")).not.toBe(names.of("req_1"));
});
