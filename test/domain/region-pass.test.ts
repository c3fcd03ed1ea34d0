import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPass, signPass, type PassedRequest } from "../../src/domain/region-pass.ts";

const PEPPER = "pepper-pepper-pepper-pepper-pepper";
const NOW = 1_800_000_000_000;
const pass = { at: NOW, from: "us", trace: "0b5a", address: "203.0.113.7" };
const request: PassedRequest = {
  to: "eu",
  method: "POST",
  target: "/v1/orgs/org_1/budgets?x=1",
  authorization: "Bearer svc_live_a",
};

describe("a pass between regions", () => {
  test("tells who called, to the region and for the request it was made for", () => {
    expect(readPass(PEPPER, signPass(PEPPER, pass, request), request, NOW + 1000)).toEqual(pass);
  });

  test("is worth nothing for another request, region, key or body", () => {
    const signed = signPass(PEPPER, pass, request);
    const others: Partial<PassedRequest>[] = [
      { to: "us" },
      { method: "DELETE" },
      { target: "/v1/orgs/org_2/budgets?x=1" },
      { authorization: "Bearer svc_live_b" },
      { authorization: null },
      { body: "{}" },
    ];
    for (const other of others) expect(readPass(PEPPER, signed, { ...request, ...other }, NOW)).toBeNull();
  });

  test("is worth nothing under another pepper or half a minute later", () => {
    expect(readPass(PEPPER, signPass("another-pepper", pass, request), request, NOW)).toBeNull();
    expect(readPass(PEPPER, signPass(PEPPER, pass, request), request, NOW + 30_001)).toBeNull();
  });

  test("cannot be guessed or bent: no changed text is ever accepted", () => {
    const signed = signPass(PEPPER, pass, request);
    fc.assert(
      fc.property(fc.nat(signed.length - 1), fc.string({ minLength: 1, maxLength: 3 }), (at, put) => {
        const bent = signed.slice(0, at) + put + signed.slice(at + 1);
        fc.pre(bent !== signed);
        expect(readPass(PEPPER, bent, request, NOW)).toBeNull();
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => readPass(PEPPER, text, request, NOW) === null));
  });
});
