import { BlockList, isIP, isIPv4 } from "node:net";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contains, parseAddress, parseCidr } from "../../../src/domain/network/address.ts";
import { isPublicAddress } from "../../../src/domain/network/public-address.ts";

const family = (text: string) => (isIPv4(text) ? "ipv4" : "ipv6");
const anyAddress = fc.oneof(fc.ipV4(), fc.ipV6());
const near = fc.oneof(
  anyAddress,
  fc.string({ unit: fc.constantFrom(...Array.from("0123456789abcf.:/%[] x")) }),
  fc.tuple(anyAddress, fc.constantFrom("%eth0", ".", ":", " ", "/8", "0")).map(([text, more]) => text + more),
);

describe("an address", () => {
  test("is parsed exactly when Node parses it", () => {
    fc.assert(
      fc.property(near, (text) => {
        expect(parseAddress(text) !== null).toBe(isIP(text) !== 0);
      }),
      { numRuns: 2000 },
    );
  });

  test("is inside a block exactly when Node says so", () => {
    fc.assert(
      fc.property(anyAddress, anyAddress, fc.nat(128), (text, base, bits) => {
        const address = parseAddress(text);
        const start = parseAddress(base);
        if (address === null || start === null) throw new Error("not an address");
        const prefix = Math.min(bits, start.family === 4 ? 32 : 128);
        const block = parseCidr(`${base}/${prefix}`);
        const reference = new BlockList();
        reference.addSubnet(base, prefix, family(base));
        const same = address.family === start.family && reference.check(text, family(text));
        expect(block !== null && contains(block, address)).toBe(same);
      }),
    );
  });
});

describe("a public address", () => {
  test.each([
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "2a00:1450::1",
  ])("%s is one", (text) => {
    expect(isPublicAddress(text)).toBe(true);
  });

  test("is never one that embeds a private IPv4 address", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom("::ffff:", "::", "64:ff9b::", "::ffff:0:"), (v4, prefix) => {
        expect(isPublicAddress(prefix + v4)).toBe(false);
      }),
    );
  });
});
