import { expect, test } from "vitest";
import { FrameReader, FrameWriter } from "../../../src/domain/archive/frames.ts";
import {
  digestsIn,
  firstUnder,
  presentDigest,
  digestPair,
  pepperMark,
  matchesDigest,
} from "../../../src/domain/key/peppers.ts";
import { ReservationIds, reservationKey } from "../../../src/domain/reservation/reservation-id.ts";
import { encrypt, decryptAny } from "../../../src/domain/key/encrypt.ts";
import { verifyLimitSet, signLimitSet } from "../../../src/domain/meter/limit-set-token.ts";

const [OLD, NEW] = ["o".repeat(32), "n".repeat(32)];
const under = (pepper: string) => `digest under ${pepper.slice(0, 1)}`.replaceAll(" ", "-");

test("a secret is shown by one digest, or by both with the marks of their peppers", () => {
  expect(presentDigest([NEW], under)).toBe("digest-under-n");
  expect(digestsIn(presentDigest([NEW, OLD], under))).toEqual([
    { mark: pepperMark(NEW), digest: "digest-under-n" },
    { mark: pepperMark(OLD), digest: "digest-under-o" },
  ]);
});

test("either digest proves the secret, and no other does", () => {
  const given = presentDigest([NEW, OLD], under);
  expect([matchesDigest(given, "digest-under-n"), matchesDigest(given, "digest-under-o")]).toEqual([
    true,
    true,
  ]);
  expect([
    matchesDigest(given, ""),
    matchesDigest(given, "digest-under-x"),
    matchesDigest("", "digest-under-n"),
  ]).toEqual([false, false, false]);
  expect(digestPair(given)).toEqual(["digest-under-n", "digest-under-o"]);
  expect(digestPair("one")).toEqual(["one", ""]);
});

test("what is encrypted, signed or made under either pepper is accepted, and under a third is not", () => {
  const third = "t".repeat(32);
  expect(decryptAny([NEW, OLD], "p", encrypt(OLD, "p", "text"))).toBe("text");
  expect(decryptAny([NEW, OLD], "p", encrypt(NEW, "p", "text"))).toBe("text");
  expect(() => decryptAny([NEW, OLD], "p", encrypt(third, "p", "text"))).toThrow();
  expect(firstUnder([NEW, OLD], (pepper) => (pepper === OLD ? "found" : null))).toBe("found");
  const limitSet = {
    version: "1",
    keys: [],
    ofTokens: [],
    ofRuns: [],
    meters: "",
    customer: null,
    requests: [],
    tokens: [],
    dollars: [],
    byBody: [],
    names: {},
  };
  const holder = { orgId: "org_A", keyId: "key_A" };
  const token = signLimitSet({ ...holder, pepper: OLD }, limitSet);
  expect(verifyLimitSet({ ...holder, pepper: NEW, otherPepper: OLD }, token)).toEqual(limitSet);
  expect(verifyLimitSet({ ...holder, pepper: NEW }, token)).toBeNull();
  expect(verifyLimitSet({ ...holder, pepper: NEW, otherPepper: third }, token)).toBeNull();
});

test("an archive is read under the pepper that its first frame was signed with, and no frame under another", () => {
  const writer = new FrameWriter(OLD);
  const [first, last] = [writer.write(Buffer.from("a"), false), writer.write(Buffer.from("b"), true)];
  expect(new FrameReader(NEW, OLD).push(Buffer.concat([first, last]))).toHaveLength(2);
  expect(new FrameReader(NEW).push(first)).toBe("other_signature");
  const other = new FrameWriter(NEW);
  other.write(Buffer.from("a"), false);
  const mixed = Buffer.concat([first, other.write(Buffer.from("b"), true)]);
  expect(new FrameReader(NEW, OLD).push(mixed)).toBe("other_signature");
});

test("with its kept key, an org names the same request alike under another pepper", () => {
  const before = new ReservationIds(OLD, "org_A");
  const after = new ReservationIds(NEW, "org_A", reservationKey(OLD, "org_A"));
  expect(after.idOf("r", "q", 0)).toBe(before.idOf("r", "q", 0));
  expect(after.originOf(before.newId(0), 0)).toBe("time");
  expect(new ReservationIds(NEW, "org_A").idOf("r", "q", 0)).not.toBe(before.idOf("r", "q", 0));
});
