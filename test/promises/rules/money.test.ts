import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatSum,
  formatUsd,
  isUsd,
  MAX_USD_NANOS,
  parseSmallUsd,
  parseUsd,
  usdParts,
} from "../../../src/domain/price/money.ts";

const nanos = fc.bigInt({ min: 0n, max: MAX_USD_NANOS });

describe("an amount", () => {
  test("is formatted and parsed without loss, to the nano-dollar", () => {
    fc.assert(
      fc.property(nanos, (amount) => {
        expect(parseUsd(formatUsd(amount))).toBe(amount);
      }),
    );
  });

  test("has at least two decimal places and no further trailing zeros", () => {
    fc.assert(
      fc.property(nanos, (amount) => {
        expect(formatUsd(amount)).toMatch(/^\d+\.\d\d(\d*[1-9])?$/);
      }),
    );
    expect([12_500_000_000n, 0n, 21n].map(formatUsd)).toEqual(["12.50", "0.00", "0.000000021"]);
    expect(formatUsd(9_007_199_254_740_993n)).toBe("9007199.254740993");
    expect(formatUsd(-5_000_000_000n)).toBe("-5.00");
  });

  test("is read from exactly the texts of the pattern, with every digit", () => {
    const text = fc.oneof(
      fc.string(),
      fc.stringMatching(/^0{0,12}[0-9]{0,11}(\.[0-9]{0,11})?$/),
      fc.stringMatching(/^[-+ eE0-9.,/:]{0,8}$/),
      fc.constantFrom(
        "",
        ".",
        "1.",
        ".1",
        "1.2.3",
        "1.:",
        "1./",
        "1\n",
        "\u0661",
        "9007199.254740992",
        "9007199.254740993",
      ),
    );
    fc.assert(
      fc.property(text, (said) => {
        const [, dollars, fraction = ""] = /^0*(\d{1,9})(?:\.(\d{1,9}))?$/.exec(said) ?? [];
        const read = dollars === undefined ? null : BigInt(dollars + fraction.padEnd(9, "0"));
        expect({ read: parseUsd(said), isUsd: isUsd(said) }).toEqual({ read, isUsd: read !== null });
      }),
      { numRuns: 5000 },
    );
  });

  test("as numbers is exact to the nano-dollar, or null if it cannot be", () => {
    const safe = BigInt(Number.MAX_SAFE_INTEGER);
    const near = fc.bigInt({ min: safe - 10n ** 9n, max: safe + 10n ** 9n });
    const short = fc.bigInt({ min: 0n, max: 10n ** 9n }).map((cents) => cents * 10_000_000n);
    fc.assert(
      fc.property(fc.oneof(nanos, near, short), (amount) => {
        const text = formatUsd(amount);
        expect(parseSmallUsd(text)).toBe(amount <= safe ? Number(amount) : null);
        expect(parseSmallUsd(`00${text}`)).toBe(amount <= safe ? Number(amount) : null);
      }),
    );
    expect(["7", "7.5", "0.000000001"].map(parseSmallUsd)).toEqual([7e9, 7.5e9, 1]);
  });

  test("adds up as numbers like as bigint, and never goes below zero", () => {
    const room = fc.bigInt({ min: -MAX_USD_NANOS, max: MAX_USD_NANOS });
    fc.assert(
      fc.property(room, fc.maxSafeNat(), (left, right) => {
        const sum = left + BigInt(right);
        expect(formatSum(usdParts(left), right)).toBe(formatUsd(sum < 0n ? 0n : sum));
      }),
    );
  });

  test.each([
    ["0", 0n],
    ["1", 1_000_000_000n],
    ["1.5", 1_500_000_000n],
    ["0.000000001", 1n],
    ["999999999.999999999", MAX_USD_NANOS],
    ["00000000000000000001", 1_000_000_000n],
  ])("%j is parsed exactly", (text, expected) => expect(parseUsd(text)).toBe(expected));

  test.each(["", "-1", "+1", "1e3", " 1", "1 ", "1.", ".5", "1.0000000000", "1,5", "0x1", "NaN", "1\n"])(
    "%j is refused",
    (text) => expect(parseUsd(text)).toBeNull(),
  );

  test("is refused above the bound and with twenty digits", () => {
    expect(parseUsd("1000000000")).toBeNull();
    expect(parseUsd("12345678901234567890")).toBeNull();
  });
});
