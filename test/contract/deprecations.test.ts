import * as fc from "fast-check";
import { parseItem } from "structured-headers";
import { describe, expect, test } from "vitest";
import {
  activeDeprecations,
  DEPRECATED_ROUTES,
  DEPRECATED_SURFACES,
  type Deprecation,
  deprecationEntry,
  deprecationHeaders,
  extendDeprecation,
  flagConflict,
  shortNotice,
  operationName,
  V1_DELIVERIES,
} from "../../src/contract/deprecations.ts";
import {
  imfFixdate,
  isoDate,
  parseImfFixdate,
  parseIsoDate,
  parseSunset,
} from "../../src/contract/http-date.ts";

const docsUrl = "https://docs.example.test/sluice";
const day = fc.date({ min: new Date("1971-01-01"), max: new Date("2399-12-31"), noInvalidDate: true });
const deprecation = fc
  .tuple(day, fc.nat(5_000), fc.option(fc.constant("/v1/next"), { nil: undefined }))
  .map(([since, days, replacement]): Deprecation => {
    const sunset = imfFixdate(Math.floor(since.getTime() / 86_400_000 + 1 + days) * 86_400_000);
    const base = { method: "GET", route: "/v1/x/{id}", since: isoDate(since.getTime()), sunset } as const;
    return replacement ? { ...base, replacement } : base;
  });

function links(header: string): { target: string; rel: string }[] {
  return [...header.matchAll(/<([^<>\s]+)>; rel="([a-z-]+)"(?:, |$)/g)].map(([, target = "", rel = ""]) => ({
    target,
    rel,
  }));
}

describe("the headers of a deprecated route", () => {
  test("name 22 July 2026, the contract's sunset, the documentation and the successor", () => {
    const [secret, rotate, forecast] = DEPRECATED_ROUTES.map((route) => deprecationHeaders(route, docsUrl));
    expect(secret).toEqual({
      deprecation: "@1784678400",
      sunset: "Fri, 31 Dec 2027 23:59:59 GMT",
      link: `<${docsUrl}>; rel="deprecation", </v1/orgs/{id}/webhooks/{sub_id}/signing>; rel="successor-version"`,
    });
    expect(rotate?.link).toContain(
      '</v1/orgs/{id}/webhooks/{sub_id}/signing/rotate>; rel="successor-version"',
    );
    expect(forecast?.sunset).toBe("Wed, 31 Dec 2036 23:59:59 GMT");
    expect(forecast?.link).toContain('</v1/capacity/forecasts>; rel="successor-version"');
  });

  test("of a v1 delivery have no successor route", () => {
    expect(deprecationHeaders(V1_DELIVERIES, docsUrl)).toEqual({
      deprecation: "@1784678400",
      sunset: "Fri, 31 Dec 2027 23:59:59 GMT",
      link: `<${docsUrl}>; rel="deprecation"`,
    });
  });

  test("are always a structured-fields date, a strict IMF-fixdate and well-formed links", () => {
    fc.assert(
      fc.property(deprecation, (route) => {
        const headers = deprecationHeaders(route, docsUrl);
        const [since, parameters] = parseItem(headers.deprecation);
        expect(since).toBeInstanceOf(Date);
        expect(parameters.size).toBe(0);
        expect(isoDate((since as Date).getTime())).toBe(route.since);
        expect((since as Date).getTime() % 86_400_000).toBe(0);
        expect(parseImfFixdate(headers.sunset)).toBeTypeOf("number");
        expect(links(headers.link)).toEqual([
          { target: docsUrl, rel: "deprecation" },
          ...(route.replacement ? [{ target: route.replacement, rel: "successor-version" }] : []),
        ]);
      }),
    );
  });
});

describe("the listing", () => {
  test("points to the documentation address unless the deprecation has its own page", () => {
    const [first] = DEPRECATED_ROUTES;
    if (!first) throw new Error("the contract has active deprecations");
    const { migration: _, ...listed } = first;
    expect(deprecationEntry(first, docsUrl)).toEqual({ ...listed, documentation: docsUrl });
    const own = { ...first, documentation: "https://docs.example.test/own" };
    expect(deprecationEntry(own, docsUrl).documentation).toBe("https://docs.example.test/own");
  });

  test("holds the contract's five active deprecations, all announced on one day", () => {
    const names = [
      ...DEPRECATED_ROUTES.map(operationName),
      ...DEPRECATED_SURFACES.map(({ surface }) => surface),
    ];
    expect(new Set(names)).toEqual(
      new Set([
        "GET /v1/admin/orgs/{org_id}/webhook-secret",
        "POST /v1/admin/orgs/{org_id}/webhook-secret/rotate",
        "GET /v1/forecast",
        "X-Svc-Signature: v1=...",
        "SVC_READ_LIMIT_PER_MINUTE",
      ]),
    );
    for (const { since } of [...DEPRECATED_ROUTES, ...DEPRECATED_SURFACES]) expect(since).toBe("2026-07-22");
  });
});

describe("flagging", () => {
  const known: Deprecation = {
    method: "GET",
    route: "/v1/x",
    since: "2026-07-22",
    sunset: "Fri, 31 Dec 2027 23:59:59 GMT",
    replacement: "/v1/y",
  };

  test("again with the same dates, or with a later sunset, is not a conflict", () => {
    expect(flagConflict(known, known)).toBeUndefined();
    expect(flagConflict(known, { ...known, sunset: "Sat, 01 Jan 2028 00:00:00 GMT" })).toBeUndefined();
    expect(flagConflict(undefined, known)).toBeUndefined();
  });

  test("with an earlier sunset, another date, or a sunset before that date is a conflict", () => {
    expect(flagConflict(known, { ...known, sunset: "Fri, 31 Dec 2027 23:59:58 GMT" })).toMatch(
      /cannot move earlier/,
    );
    expect(flagConflict(known, { ...known, since: "2026-07-23" })).toMatch(/cannot be changed/);
    const backwards = { ...known, since: "2027-01-01", sunset: "Thu, 31 Dec 2026 23:59:59 GMT" };
    expect(flagConflict(undefined, backwards)).toMatch(/before/);
  });

  test("requires 12 months of notice, from the announcement or from its day, whichever is later", () => {
    const at = (text: string) => Date.parse(text);
    const sunset = (text: string) => ({ ...known, sunset: imfFixdate(at(text)) });
    const early = at("2026-01-05T23:59:59Z");
    expect(shortNotice(undefined, sunset("2027-07-22T00:00:00Z"), early)).toBeUndefined();
    expect(shortNotice(undefined, sunset("2027-07-21T23:59:59Z"), early)).toMatch(
      /Thu, 22 Jul 2027 00:00:00 GMT/,
    );
    const late = at("2026-11-15T18:00:00Z");
    expect(shortNotice(undefined, sunset("2027-11-15T00:00:00Z"), late)).toBeUndefined();
    expect(shortNotice(undefined, sunset("2027-11-14T23:59:59Z"), late)).toBeDefined();
    expect(shortNotice(known, sunset("2027-11-14T23:59:59Z"), late)).toBeUndefined();
    expect(shortNotice(known, sunset("2027-07-21T23:59:59Z"), late)).toBeDefined();
  });

  test("a year from a leap day ends on the first of March, not a day early", () => {
    const leap = { ...known, since: "2028-02-29", sunset: "Wed, 28 Feb 2029 23:59:59 GMT" };
    expect(shortNotice(undefined, leap, 0)).toMatch(/Thu, 01 Mar 2029/);
    expect(shortNotice(undefined, { ...leap, sunset: "Thu, 01 Mar 2029 00:00:00 GMT" }, 0)).toBeUndefined();
  });

  test("an extension keeps the successor and the documentation that it omits", () => {
    const { replacement: _left, ...rest } = known;
    expect(extendDeprecation(known, rest).replacement).toBe("/v1/y");
    expect(extendDeprecation(known, { ...rest, replacement: "/v1/z" }).replacement).toBe("/v1/z");
  });

  test("never shortens a sunset, in any order of flags", () => {
    fc.assert(
      fc.property(deprecation, fc.array(deprecation, { maxLength: 20 }), (first, attempts) => {
        let current = first;
        for (const attempt of attempts) {
          if (flagConflict(current, attempt)) continue;
          const next = extendDeprecation(current, attempt);
          expect(next.since).toBe(first.since);
          expect(Date.parse(next.sunset)).toBeGreaterThanOrEqual(Date.parse(current.sunset));
          current = next;
        }
        const [active] = activeDeprecations([first], [current]);
        expect(active?.sunset).toBe(current.sunset);
      }),
    );
  });

  test("a later sunset in the contract overrides an earlier extension by an operator", () => {
    const later = { ...known, sunset: "Sun, 31 Dec 2028 23:59:59 GMT" };
    expect(activeDeprecations([later], [known])).toEqual([later]);
    expect(activeDeprecations([known], [later])).toEqual([later]);
    expect(activeDeprecations([known], [{ ...known, method: "POST" }])).toHaveLength(2);
  });
});

describe("HTTP dates", () => {
  test("are read back exactly as they are written", () => {
    fc.assert(
      fc.property(day, (at) => {
        const atMs = Math.floor(at.getTime() / 1000) * 1000;
        expect(parseImfFixdate(imfFixdate(atMs))).toBe(atMs);
        expect(parseIsoDate(isoDate(atMs))).toBe(Math.floor(atMs / 86_400_000) * 86_400_000);
      }),
    );
  });

  test.each([
    "Thu, 31 Dec 2027 23:59:59 GMT",
    "Fri, 31 Dec 2027 24:00:00 GMT",
    "Fri, 31 Dec 2027 23:59:59 UTC",
    "Fri, 31 Dec 2027 23:59:59 +0000",
    "Friday, 31-Dec-27 23:59:59 GMT",
    "Fri Dec 31 23:59:59 2027",
    "Wed, 31 Apr 2026 00:00:00 GMT",
    "fri, 31 dec 2027 23:59:59 gmt",
    " Fri, 31 Dec 2027 23:59:59 GMT",
    "2027-02-30",
    "2027-02-30T00:00:00Z",
    "2027-12-31T25:00:00Z",
    "2027-12-31 00:00:00",
    "1830297599",
    "",
  ])("%j is not a sunset", (text) => {
    expect(parseSunset(text)).toBeUndefined();
  });

  test("a sunset given as a date includes the whole day, and fractions of a second are rounded up", () => {
    const lastSecond = Date.parse("2027-12-31T23:59:59Z");
    expect(parseSunset("2027-12-31")).toBe(lastSecond);
    expect(parseSunset("2027-12-31T23:59:58.001Z")).toBe(lastSecond);
    expect(parseSunset("2028-01-01T01:59:59+02:00")).toBe(lastSecond);
    expect(parseSunset("Fri, 31 Dec 2027 23:59:59 GMT")).toBe(lastSecond);
  });
});
