import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPass, signPass, type PassedRequest } from "../../../src/domain/region/pass.ts";
import { SeenPasses } from "../../../src/domain/region/seen-passes.ts";

const SECRET = "secret-secret-secret-secret-secret";
const NOW = 1_800_000_000_000;
const pass = {
  at: NOW,
  from: "us",
  trace: "0b5a",
  address: "203.0.113.7",
  nonce: "n1",
  keeper: "org_1",
  epoch: "e1",
};
const request: PassedRequest = {
  to: "eu",
  method: "POST",
  target: "/v1/orgs/org_1/budgets?x=1",
  authorization: "Bearer svc_live_a",
};

describe("a pass between regions", () => {
  test("identifies the caller, for its region and request only", () => {
    expect(readPass(SECRET, signPass(SECRET, pass, request), request, NOW + 1000)).toEqual(pass);
  });

  test("is invalid for another request, region, key or body", () => {
    const signed = signPass(SECRET, pass, request);
    const others: Partial<PassedRequest>[] = [
      { to: "us" },
      { method: "DELETE" },
      { target: "/v1/orgs/org_2/budgets?x=1" },
      { authorization: "Bearer svc_live_b" },
      { authorization: null },
      { body: "{}" },
    ];
    for (const other of others) expect(readPass(SECRET, signed, { ...request, ...other }, NOW)).toBeNull();
  });

  test("is invalid with another secret, or after 15 seconds", () => {
    expect(readPass(SECRET, signPass("another-secret", pass, request), request, NOW)).toBeNull();
    expect(readPass(SECRET, signPass(SECRET, pass, request), request, NOW + 15_001)).toBeNull();
  });

  test("cannot be forged: no changed text is accepted", () => {
    const signed = signPass(SECRET, pass, request);
    fc.assert(
      fc.property(fc.nat(signed.length - 1), fc.string({ minLength: 1, maxLength: 3 }), (at, put) => {
        const bent = signed.slice(0, at) + put + signed.slice(at + 1);
        fc.pre(bent !== signed);
        expect(readPass(SECRET, bent, request, NOW)).toBeNull();
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => readPass(SECRET, text, request, NOW) === null));
  });
});

describe("the passes that an object takes", () => {
  test("are each accepted once, and only for the current epoch", () => {
    const seen = new SeenPasses("e1");
    expect(seen.take({ nonce: "n1", epoch: "e1" }, NOW)).toBe(true);
    expect(seen.take({ nonce: "n1", epoch: "e1" }, NOW + 14_000)).toBe(false);
    expect(seen.take({ nonce: "n2", epoch: "e1" }, NOW)).toBe(true);
    expect(seen.take({ nonce: "n3", epoch: "e0" }, NOW)).toBe(false);
    expect(seen.take({ nonce: "n3", epoch: "" }, NOW)).toBe(false);
    expect(new SeenPasses("e2").take({ nonce: "n1", epoch: "e1" }, NOW)).toBe(false);
  });

  test("are remembered for exactly as long as any clock may consider them valid", () => {
    const seen = new SeenPasses("e1");
    for (let nonce = 0; nonce < 50_000; nonce += 1) seen.take({ nonce: String(nonce), epoch: "e1" }, NOW);
    expect(seen.take({ nonce: "0", epoch: "e1" }, NOW + 29_999)).toBe(false);
    // A pass that cannot be remembered is not accepted.
    expect(seen.take({ nonce: "one more", epoch: "e1" }, NOW + 29_999)).toBe(false);
    expect(seen.take({ nonce: "one more", epoch: "e1" }, NOW + 30_000)).toBe(true);
  });
});
