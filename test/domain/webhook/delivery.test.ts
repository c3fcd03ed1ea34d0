import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ATTEMPT_DELAYS_SECONDS,
  MAX_ATTEMPTS,
  nextStep,
  parseRetryAfter,
  waitMs,
} from "../../../src/domain/webhook/delivery.ts";

const deliveryId = fc.string({ minLength: 1 });
const attemptsMade = fc.integer({ min: 0, max: MAX_ATTEMPTS - 1 });
const failing = fc.oneof(
  fc.constant(null),
  fc.integer({ min: 300, max: 599 }).filter((status) => status !== 410),
);
const base = (made: number) => (ATTEMPT_DELAYS_SECONDS[made] ?? 0) * 1000;

describe("the schedule", () => {
  test("is the published one", () => {
    const hours = 3600;
    expect(ATTEMPT_DELAYS_SECONDS).toEqual([
      0,
      5,
      300,
      1800,
      2 * hours,
      5 * hours,
      10 * hours,
      14 * hours,
      20 * hours,
      24 * hours,
    ]);
  });

  test("waits within a fifth of the base, always the same for one delivery", () => {
    fc.assert(
      fc.property(deliveryId, attemptsMade, (id, made) => {
        const wait = waitMs(id, made, null);
        expect(wait).toBeGreaterThanOrEqual(0.8 * base(made));
        expect(wait).toBeLessThanOrEqual(1.2 * base(made));
        expect(waitMs(id, made, null)).toBe(wait);
      }),
    );
  });

  test("spreads different deliveries over the whole band", () => {
    const waits = Array.from({ length: 1000 }, (_, index) => waitMs(`dlv_${index}`, 2, null) ?? 0);
    expect(Math.min(...waits)).toBeLessThan(0.82 * base(2));
    expect(Math.max(...waits)).toBeGreaterThan(1.18 * base(2));
  });

  test("honors Retry-After up to twice the base, and never retries earlier because of it", () => {
    fc.assert(
      fc.property(deliveryId, attemptsMade, fc.nat(400_000_000), (id, made, retryAfter) => {
        const wait = waitMs(id, made, retryAfter) ?? Number.NaN;
        expect(wait).toBeGreaterThanOrEqual(waitMs(id, made, null) ?? 0);
        expect(wait).toBeLessThanOrEqual(2 * base(made));
        const kept = Math.min(retryAfter, 2 * base(made));
        expect(wait).toBe(Math.max(kept, waitMs(id, made, null) ?? 0));
      }),
    );
  });
});

describe("an attempt", () => {
  test("succeeds on every 2xx and on nothing else", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), attemptsMade, (statusCode, made) => {
        const step = nextStep("dlv_1", made, { statusCode, retryAfterMs: null });
        expect(step.status === "succeeded").toBe(statusCode >= 200 && statusCode < 300);
      }),
    );
  });

  test("that gets 410 disables the subscription immediately", () => {
    fc.assert(
      fc.property(attemptsMade, (made) => {
        const step = nextStep("dlv_1", made, { statusCode: 410, retryAfterMs: null });
        expect(step).toEqual({ status: "failed", disables: "gone" });
      }),
    );
  });

  test("that fails is retried until the tenth, which disables the subscription", () => {
    fc.assert(
      fc.property(deliveryId, failing, fc.integer({ min: 1, max: 12 }), (id, statusCode, made) => {
        const step = nextStep(id, made, { statusCode, retryAfterMs: null });
        expect(step).toEqual(
          made < MAX_ATTEMPTS
            ? { status: "pending", waitMs: waitMs(id, made, null) }
            : { status: "failed", disables: "exhausted" },
        );
      }),
    );
  });
});

describe("Retry-After", () => {
  const now = Date.UTC(2026, 0, 1, 12, 0, 0);
  test.each([
    ["120", 120_000],
    [" 0 ", 0],
    ["Thu, 01 Jan 2026 12:00:30 GMT", 30_000],
    ["Thu, 01 Jan 2026 11:00:00 GMT", 0],
    ["-1", null],
    ["1.5", null],
    ["soon", null],
    ["2026-01-01", null],
    ["9999999999999", null],
    ["", null],
    [null, null],
  ])("%j is read as %j", (header, expected) => expect(parseRetryAfter(header, now)).toBe(expected));
});
