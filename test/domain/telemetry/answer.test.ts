import { describe, expect, test } from "vitest";
import { spanStep, spanWaitMs } from "../../../src/domain/telemetry/answer.ts";

const ANSWER = { statusCode: 200, retryAfterMs: null, error: null, excerpt: "" };

describe("what a receiver answers", () => {
  test.each([
    ["{}", 0],
    ["", 0],
    ['{"partialSuccess":{}}', 0],
    ['{"partialSuccess":null}', 0],
    ['{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}', 3],
    ['{"partialSuccess":{"rejectedSpans":2}}', 2],
    ['{"partialSuccess":{"rejectedSpans":-2}}', 0],
    ['{"partialSuccess":{"rejectedSpans":"1e99"}}', 7],
    ['{"partialSuccess":{"rejectedSpans":"many"}}', 0],
    ['{"partialSuccess":{"rejectedSpans":[3]}}', 3],
    ["null", 0],
    ['{"partialSuccess"', 0],
  ])("%s rejects %i of seven spans", (excerpt, rejected) => {
    expect(spanStep({ ...ANSWER, excerpt }, 7, 0)).toEqual({ kind: "taken", rejected });
  });

  test.each([400, 413, 422])("%i refuses the content", (statusCode) => {
    expect(spanStep({ ...ANSWER, statusCode }, 7, 0)).toEqual({
      kind: "refused",
      error: `status ${statusCode}`,
    });
  });

  test.each([301, 401, 403, 404, 429, 500, 502, 503, 504])("%i may pass", (statusCode) => {
    const step = spanStep({ ...ANSWER, statusCode }, 7, 0);
    expect(step).toEqual({ kind: "failed", error: `status ${statusCode}`, waitMs: 5000 });
  });

  test("without an answer it is tried again", () => {
    const step = spanStep({ ...ANSWER, statusCode: null, error: "timeout" }, 7, 2);
    expect(step).toEqual({ kind: "failed", error: "timeout", waitMs: 20_000 });
  });
});

test("waits grow up to five minutes, and a receiver can ask for an hour at most", () => {
  expect([1, 2, 3, 7, 100].map((attempts) => spanWaitMs(attempts))).toEqual([
    5000, 10_000, 20_000, 300_000, 300_000,
  ]);
  expect(spanWaitMs(1, 30_000)).toBe(30_000);
  expect(spanWaitMs(7, 1000)).toBe(300_000);
  expect(spanWaitMs(1, 999_999_999_000)).toBe(3_600_000);
});
