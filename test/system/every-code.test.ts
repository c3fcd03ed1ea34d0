import { afterAll, beforeAll, expect, test } from "vitest";
import { DETAILS } from "../../src/contract/error-details.ts";
import { ERRORS, type ErrorCode } from "../../src/contract/errors.ts";
import { Kitchen, RECIPES } from "../support/every-code.ts";
import { type ServerFixture, serverFixture } from "../support/server.ts";

let fixture: ServerFixture;
beforeAll(async () => {
  fixture = await serverFixture({
    settings: {
      SVC_REGIONS: '{"far":"http://127.0.0.1:1"}',
      SVC_REGION_SECRET: "region-secret-for-tests-0123456789abcdefghij",
      SVC_MAX_BODY_BYTES: "4096",
    },
  });
});
afterAll(() => fixture.end());

const produced = new Set<string>();
const codes = Object.keys(ERRORS) as ErrorCode[];

// Recipes that break the server for others run last.
test.each([...codes.filter((code) => code !== "internal"), "internal" as const])(
  "%s is returned by a real request, as in the catalog",
  async (code) => {
    const answer = await RECIPES[code](await Kitchen.open(fixture.server));
    expect([code, answer.status, answer.body?.error?.code]).toEqual([code, expect.any(Number), code]);
    expect(ERRORS[code].statuses).toContain(answer.status);
    expect(Object.keys(answer.body)).toEqual(["error"]);
    expect(DETAILS[code].safeParse(answer.body.error.details).success).toBe(true);
    expect(answer.headers.get("x-svc-trace-id")).toMatch(/^[\w-]{8,}$/);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    if (code === "rate_limited") {
      expect(answer.headers.get("retry-after")).toBe(String(answer.body.error.details.retry_after_seconds));
    }
    produced.add(code);
  },
);

test("each of the 32 codes was produced", () => {
  expect(codes).toHaveLength(32);
  expect([...produced].sort()).toEqual(codes.toSorted());
});
