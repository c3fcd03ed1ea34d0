import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nameToResolve, resolvesToPublic, webhookUrlProblem } from "../../src/domain/webhook-url.ts";

const rules = { allowPrivate: false, ownHosts: ["api.sluice.dev"] };
const local = { ...rules, allowPrivate: true };

/** Each by the trick it tries. */
const HOSTILE: Record<string, readonly string[]> = {
  "no URL": [
    "",
    "example.com/hook",
    "/hook",
    "//example.com/hook",
    "https://",
    "https:// example.com",
    "https://exa mple.com",
  ],
  scheme: [
    "http://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "javascript:alert(1)",
    "data:text/plain,x",
    "ws://example.com/",
    "unix:/var/run/docker.sock",
    "blob:https://example.com/x",
  ],
  credentials: [
    "https://user:pass@example.com/",
    "https://user@example.com/",
    "https://:pass@example.com/",
    "https://example.com@127.0.0.1/",
  ],
  loopback: [
    "https://127.0.0.1/",
    "https://127.1/",
    "https://127.255.255.254/",
    "https://0.0.0.0/",
    "https://0/",
    "https://localhost/",
    "https://LOCALHOST/",
    "https://a.localhost/",
  ],
  octal: ["https://0177.0.0.1/", "https://0300.0250.0.1/", "https://00000177.1/", "https://012.0.0.1/"],
  hex: ["https://0x7f.0.0.1/", "https://0x7f000001/", "https://0xA9FEA9FE/", "https://0xc0.0xa8.1.1/"],
  decimal: ["https://2130706433/", "https://3232235777/", "https://2852039166/", "https://167772161/"],
  "mixed parts": ["https://10.1/", "https://192.168.257/", "https://172.1048577/"],
  encoded: [
    "https://%31%32%37.0.0.1/",
    "https://127%2e0%2e0%2e1/",
    "https://１２７.0.0.1/",
    "https://①②⑦.0.0.1/",
    "https://loc%61lhost/",
  ],
  private: ["https://10.0.0.1/", "https://172.16.0.1/", "https://172.31.255.255/", "https://192.168.0.1/"],
  "link-local": ["https://169.254.0.1/", "https://[fe80::1]/", "https://[febf::1]/"],
  "carrier-grade": ["https://100.64.0.1/", "https://100.127.255.255/"],
  "unique-local": ["https://[fc00::1]/", "https://[fd12:3456:789a::1]/"],
  metadata: [
    "https://169.254.169.254/latest/meta-data/",
    "https://[fd00:ec2::254]/",
    "https://metadata.google.internal/",
    "https://100.100.100.200/",
    "https://168.63.129.16/",
    "https://192.0.0.192/",
  ],
  "IPv6 with IPv4 inside": [
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[::127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[64:ff9b:1::a00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[2001:0:7f00:1::]/",
  ],
  "IPv6 loopback": ["https://[::1]/", "https://[::]/", "https://[0:0:0:0:0:0:0:1]/"],
  "set aside": [
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://240.0.0.1/",
    "https://198.18.0.1/",
    "https://[ff02::1]/",
    "https://[2001:db8::1]/",
    "https://[fec0::1]/",
  ],
  "trailing dots": [
    "https://127.0.0.1./",
    "https://localhost./",
    "https://metadata.google.internal./",
    "https://example.com../",
    "https://api.sluice.dev./",
  ],
  "names of one's own network": [
    "https://intranet/",
    "https://printer.local/",
    "https://db.internal/",
    "https://router.home.arpa/",
    "https://host.docker.internal/",
    "https://x.localdomain/",
  ],
  "own address": ["https://api.sluice.dev/", "https://API.sluice.dev/v1/runs", "https://api.sluice.dev:443/"],
  ports: [
    "https://example.com:22/",
    "https://example.com:25/",
    "https://example.com:80/",
    "https://example.com:1/",
    "https://example.com:6379/",
    "https://example.com:5432/",
    "https://example.com:0/",
    "https://example.com:65536/",
  ],
  "repaired by the parser": [
    "https:\\\\127.0.0.1\\",
    "https://exa\tmple.com/",
    "https://example.com/\n",
    " https://example.com/",
    "https://ex\u00adample.com/",
    "https://example\u3002com/",
  ],
  "too long": [`https://example.com/${"x".repeat(2048)}`],
};
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

  test("may be plain http and private only where that is allowed", () => {
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
    "%j is refused even there",
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

  test("may be called only if all it resolves to is public", () => {
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
