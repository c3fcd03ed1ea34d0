import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressAllowed, formatCidr, parseAddress, parseCidr } from "../../../src/domain/network/address.ts";

const allowed = (blocks: string[], address: string) =>
  addressAllowed(
    blocks.flatMap((text) => parseCidr(text) ?? []),
    address,
  );

test.each([
  ["10.0.0.0/8", "10.255.0.1", true],
  ["10.0.0.0/8", "11.0.0.1", false],
  ["10.1.2.3/8", "10.9.9.9", true],
  ["10.0.0.0/8", "::ffff:10.1.2.3", true],
  ["::ffff:10.0.0.0/104", "10.1.2.3", true],
  ["203.0.113.7", "203.0.113.7", true],
  ["203.0.113.7", "203.0.113.8", false],
  ["0.0.0.0/0", "198.51.100.1", true],
  ["0.0.0.0/0", "2001:db8::1", false],
  ["2001:DB8::/32", "2001:0db8:0000:0000:0000:0000:0000:0001", true],
  ["2001:db8::/32", "2001:db9::1", false],
  ["2001:db8::1", "2001:db8:0:0::1", true],
  ["::/0", "2001:db8::1", true],
  ["::/0", "10.0.0.1", false],
  ["fe80::/10", "fe80::1%eth0", true],
  ["10.0.0.0/8", "", false],
  ["10.0.0.0/8", "localhost", false],
])("%s contains %s: %s", (block, address, expected) => {
  expect(allowed([block], address)).toBe(expected);
});

test("an empty list allows every address, even one that cannot be parsed", () => {
  expect(allowed([], "anything")).toBe(true);
});

test.each([
  "10.0.0.0/33",
  "10.0.0/8",
  "010.0.0.0/8",
  "10.0.0.256",
  "0x0a.0.0.1",
  "1",
  "10.0.0.0/-1",
  "10.0.0.0/08",
  "10.0.0.0/8/8",
  "2001:db8::/129",
  "2001:db8:::1",
  "1::2::3",
  "12345::",
  "::ffff:10.0.0.0/95",
  "g::1",
  "",
  "*",
])("%s is not a block", (text) => {
  expect(parseCidr(text)).toBeNull();
});

describe("every spelling of an address", () => {
  const v6 = fc.array(fc.integer({ min: 0, max: 65_535 }), { minLength: 8, maxLength: 8 });

  test("is always the same address", () => {
    fc.assert(
      fc.property(v6, (groups) => {
        const long = groups.map((group) => group.toString(16).padStart(4, "0")).join(":");
        const parsed = parseAddress(long);
        const block = parseCidr(long.toUpperCase());
        expect(parsed).not.toBeNull();
        if (block === null || parsed === null) throw new Error("unreadable");
        const again = parseCidr(formatCidr(block));
        expect(again).toEqual(block);
        expect([block.family, block.value]).toEqual([parsed.family, parsed.value]);
      }),
    );
  });

  test("is formatted according to RFC 5952", () => {
    const canonical = (text: string) => {
      const block = parseCidr(text);
      return block === null ? null : formatCidr(block);
    };
    expect(canonical("2001:0DB8:0:0:1:0:0:1")).toBe("2001:db8::1:0:0:1/128");
    expect(canonical("::")).toBe("::/128");
    expect(canonical("1:0:0:0:0:0:0:0/16")).toBe("1::/16");
    expect(canonical("192.0.2.77/24")).toBe("192.0.2.0/24");
  });
});
