import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isSecret, keyDigest, mintKey, parseKey } from "../../../src/domain/key/api-key.ts";
import { encrypt, decrypt } from "../../../src/domain/key/encrypt.ts";
import { derivedId, newId, newSeed } from "../../../src/domain/bytes/ulid.ts";

const PEPPER = "a pepper of more than thirty-two characters";
const ids = { orgId: newId("org", 1_790_000_000_000), keyId: newId("key", 1_790_000_000_001) };
const minted = mintKey(PEPPER, { environment: "live", ...ids });

test("a key names its org and itself, and has the published form", () => {
  expect(minted).toMatch(/^svc_live_[0-9A-HJKMNP-TV-Z]{52}_[0-9A-Za-z]{49}$/);
  expect(parseKey(PEPPER, minted)).toEqual(ids);
  expect(mintKey(PEPPER, { environment: "test", ...ids })).toMatch(/^svc_test_/);
});

test("a key with any single character changed is refused", () => {
  fc.assert(
    fc.property(fc.nat(minted.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
      fc.pre(minted[at] !== character);
      expect(parseKey(PEPPER, minted.slice(0, at) + character + minted.slice(at + 1))).toBeNull();
    }),
    { numRuns: 2000 },
  );
});

test("a key made with another pepper is refused", () => {
  expect(parseKey(`${PEPPER}!`, minted)).toBeNull();
  expect(keyDigest(`${PEPPER}!`, minted)).not.toBe(keyDigest(PEPPER, minted));
});

test("two keys never share a secret", () => {
  const many = Array.from({ length: 1000 }, () =>
    mintKey(PEPPER, { environment: "live", ...ids }).slice(-49),
  );
  expect(new Set(many).size).toBe(1000);
});

test("encrypted text can be decrypted, differs each time, and cannot be decrypted with another pepper or purpose", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const ciphertext = encrypt(PEPPER, "a", text);
      expect(decrypt(PEPPER, "a", ciphertext)).toBe(text);
      expect(encrypt(PEPPER, "a", text)).not.toBe(ciphertext);
      expect(() => decrypt(PEPPER, "b", ciphertext)).toThrow();
      expect(() => decrypt(`${PEPPER}!`, "a", ciphertext)).toThrow();
    }),
  );
});

test("ids sort by creation time, and derived ids are repeatable", () => {
  expect(newId("org", 1000) < newId("org", 2000)).toBe(true);
  expect(newId("org", 1000)).toMatch(/^org_[0-9A-HJKMNP-TV-Z]{26}$/);
  const seed = newSeed(1_790_000_000_000);
  expect(derivedId("org", seed)).toBe(derivedId("org", seed));
  expect(derivedId("org", seed).slice(4)).not.toBe(derivedId("key", seed).slice(4));
  expect(derivedId("org", seed).slice(4, 14)).toBe(newId("org", 1_790_000_000_000).slice(4, 14));
});

test.each([
  ["secret", "secret", true],
  ["secreT", "secret", false],
  ["secret-and-more", "secret", false],
  ["", "secret", false],
])("whether %j equals %j is decided by digests of equal length", (given, expected, same) => {
  expect(isSecret(given, expected)).toBe(same);
});
