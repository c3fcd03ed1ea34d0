import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nameToResolve, resolvesToPublic, webhookUrlProblem } from "../../../src/domain/webhook/url.ts";
import { HOSTILE } from "../../support/hostile-urls.ts";

const rules = { allowPrivate: false, ownHosts: ["api.sluice.dev"] };
const local = { ...rules, allowPrivate: true };

const hostile = Object.entries(HOSTILE).flatMap(([trick, urls]) => urls.map((url) => [trick, url] as const));

const parts = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];

const GOOD = [
  "https://example.com",
  "https://example.com/hooks/1?a=b#c",
  "https://hooks.example.co.uk:8443/x",
  "https://xn--bcher-kva.example/",
  "https://93.184.216.34/hook",
  "https://[2606:2800:220:1::1]/hook",
  "https://127.0.0.1.nip.io/resolved-when-sent",
  "https://localhost.example.com/",
  "https://sluice.dev/",
];

describe("a delivery address", () => {
  test("the table has at least sixty hostile addresses", () => {
    expect(new Set(hostile.map(([, url]) => url)).size).toBeGreaterThanOrEqual(60);
  });
  test.each(hostile)("is refused for %s: %j", (_trick, url) => {
    expect(webhookUrlProblem(url, rules)).toEqual(expect.any(String));
  });
  test.each(GOOD)("%s is accepted", (url) => expect(webhookUrlProblem(url, rules)).toBeNull());

  test("can be plain http and private only if that is allowed", () => {
    for (const url of [
      "http://127.0.0.1:9400/x",
      "http://localhost:80/",
      "http://[::1]/",
      "https://10.0.0.1/",
    ]) {
      expect(webhookUrlProblem(url, local)).toBeNull();
      expect(webhookUrlProblem(url, rules)).toEqual(expect.any(String));
    }
  });

  test.each([...(HOSTILE["credentials"] ?? []), ...(HOSTILE["no URL"] ?? []), "ftp://x/", "file:///x"])(
    "%j is refused even then",
    (url) => expect(webhookUrlProblem(url, local)).toEqual(expect.any(String)),
  );

  test("is never a private IPv4 address, however it is written", () => {
    const privateV4 = fc
      .tuple(
        fc.constantFrom([127, 8], [10, 8], [169 * 256 + 254, 16], [192 * 256 + 168, 16]),
        fc.nat(2 ** 32),
      )
      .map(([[head = 0, bits = 8], rest]) => (head * 2 ** (32 - bits) + (rest % 2 ** (32 - bits))) % 2 ** 32);
    const written = fc.constantFrom<(value: number) => string>(
      String,
      (value) => `0x${value.toString(16)}`,
      (value) => `0${value.toString(8)}`,
      (value) => parts(value).join("."),
      (value) =>
        parts(value)
          .map((part) => `0${part.toString(8)}`)
          .join("."),
      (value) =>
        parts(value)
          .map((part) => `0x${part.toString(16)}`)
          .join("."),
      (value) => `[::ffff:${parts(value).join(".")}]`,
      (value) => `${parts(value).join(".")}.`,
    );
    fc.assert(
      fc.property(privateV4, written, (value, write) => {
        expect(webhookUrlProblem(`https://${write(value)}/`, rules)).toEqual(expect.any(String));
      }),
    );
  });
});

describe("a name, when a delivery is sent", () => {
  test("is resolved, and an address is not", () => {
    expect(nameToResolve("https://Hooks.Example.com.:8443/x")).toBe("hooks.example.com");
    expect(nameToResolve("https://93.184.216.34/")).toBeNull();
    expect(nameToResolve("https://[2606:2800:220:1::1]/")).toBeNull();
  });

  test("may be called only if every address it resolves to is public", () => {
    expect(resolvesToPublic(["93.184.216.34", "2606:2800:220:1::1"])).toBe(true);
    for (const bad of [
      "127.0.0.1",
      "10.0.0.1",
      "169.254.169.254",
      "::1",
      "fd00:ec2::254",
      "::ffff:10.0.0.1",
      "?",
    ]) {
      expect(resolvesToPublic(["93.184.216.34", bad])).toBe(false);
    }
    expect(resolvesToPublic([])).toBe(false);
  });
});
