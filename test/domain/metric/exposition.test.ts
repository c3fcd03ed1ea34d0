import { spawnSync } from "node:child_process";
import * as fc from "fast-check";
import parsePrometheusTextFormat from "parse-prometheus-text-format";
import { describe, expect, test } from "vitest";
import {
  decisionSeries,
  deliverySeries,
  deprecatedCallSeries,
  HOLDS_EXPIRED_SERIES,
  requestSeries,
  waitBucket,
  waitSeries,
} from "../../../src/contract/metrics.ts";
import { exposition } from "../../../src/domain/metric/exposition.ts";
import { metricFamilies } from "../../../src/domain/metric/metric-families.ts";

const FORECAST = "/v1/forecast";

function read(
  counts: readonly (readonly [series: string, total: number])[],
  routes: readonly string[] = [FORECAST],
) {
  const totals = counts.map(([series, total]) => ({ series, total }));
  const text = exposition(metricFamilies(totals, routes));
  return { text, families: new Map(parsePrometheusTextFormat(text).map((family) => [family.name, family])) };
}

const typical: [string, number][] = [
  [deprecatedCallSeries(FORECAST), 3],
  [requestSeries("/v1/orgs/{id}", "GET", 200), 7],
  [requestSeries(undefined, "BREW", 404), 2],
  [decisionSeries("allow", null, "edge"), 5],
  [decisionSeries("deny", "budget_exceeded", "object"), 1],
  [HOLDS_EXPIRED_SERIES, 4],
  [deliverySeries("succeeded"), 9],
  [waitSeries("edge", waitBucket(0)), 6],
  [waitSeries("object", waitBucket(3)), 2],
  [waitSeries("object", waitBucket(60_000)), 1],
  [waitSeries("object", "ms"), 60_006],
];

describe("the exposition", () => {
  test("returns every count under its labels", () => {
    const { families } = read(typical);
    expect(families.get("svc_deprecated_route_calls_total")?.metrics).toEqual([
      { value: "3", labels: { route: FORECAST } },
    ]);
    expect(families.get("svc_requests_total")?.metrics).toEqual([
      { value: "7", labels: { route: "/v1/orgs/{id}", method: "GET", status: "200" } },
      { value: "2", labels: { route: "unmatched", method: "other", status: "404" } },
    ]);
    expect(families.get("svc_decisions_total")?.metrics).toEqual([
      { value: "5", labels: { verdict: "allow", code: "none", place: "edge" } },
      { value: "1", labels: { verdict: "deny", code: "budget_exceeded", place: "object" } },
    ]);
    expect(families.get("svc_holds_expired_total")?.metrics).toEqual([{ value: "4" }]);
    expect(families.get("svc_webhook_deliveries_total")?.metrics).toContainEqual({
      value: "9",
      labels: { outcome: "succeeded" },
    });
  });

  test("adds up one series over several shards", () => {
    const series = deprecatedCallSeries(FORECAST);
    const { text } = read([
      [series, 3],
      [series, 4],
    ]);
    expect(text).toContain(`svc_deprecated_route_calls_total{route="${FORECAST}"} 7\n`);
  });

  test("shows a deprecated route before its first call", () => {
    const { text } = read([], [FORECAST, "/v1/x/{id}"]);
    expect(text).toContain(`svc_deprecated_route_calls_total{route="${FORECAST}"} 0\n`);
    expect(text).toContain(`svc_deprecated_route_calls_total{route="/v1/x/{id}"} 0\n`);
  });

  test("of a histogram is cumulative and ends in a bucket that contains everything", () => {
    const { text } = read(typical);
    expect(text).toContain('svc_request_wait_seconds_bucket{place="object",le="0.0025"} 0\n');
    expect(text).toContain('svc_request_wait_seconds_bucket{place="object",le="0.005"} 2\n');
    expect(text).toContain('svc_request_wait_seconds_bucket{place="object",le="10"} 2\n');
    expect(text).toContain('svc_request_wait_seconds_bucket{place="object",le="+Inf"} 3\n');
    expect(text).toContain('svc_request_wait_seconds_sum{place="object"} 60.006\n');
    expect(text).toContain('svc_request_wait_seconds_count{place="object"} 3\n');
  });

  test("drops series that no metric of the catalog names, such as those of an older release", () => {
    expect(read([["svc_forgotten_total\tx", 1]]).text).not.toContain("forgotten");
    expect(read([["svc_requests_total\tonly-one-label", 1]]).text).not.toContain("only-one-label");
  });

  test("preserves any label value", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("\\", '"', "\n", "{", "}", ",", "=", "n", " ", "é", "#", "\t") }),
        (value) => {
          const text = exposition([
            { type: "counter", name: "x_total", help: "h", samples: [{ labels: { l: value }, value: 1 }] },
          ]);
          const [line = ""] = text.split("\n").slice(2);
          const quoted = /^x_total\{l="(?<text>.*)"\} 1$/su.exec(line)?.groups?.["text"] ?? "";
          expect(quoted.replaceAll(/\\(.)/gu, (_, char: string) => (char === "n" ? "\n" : char))).toBe(value);
        },
      ),
    );
  });

  test("is accepted by promtool, if installed", ({ skip }) => {
    const { error, status, stderr } = spawnSync("promtool", ["check", "metrics"], {
      input: read(typical).text,
    });
    skip(error !== undefined, "promtool is not installed");
    expect(`${status} ${stderr.toString()}`).toBe("0 ");
  });
});

test("a random path or method never adds a series", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.string(), (method) => {
      seen.add(requestSeries(undefined, method, 404));
    }),
    { numRuns: 2000 },
  );
  expect(seen.size).toBeLessThanOrEqual(8);
});
