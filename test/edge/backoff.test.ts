import { expect, test } from "vitest";
import { Backoff } from "../../src/edge/backoff.ts";
import { call, newOrg } from "../support/worker.ts";

test("after ten failures from one address, waits double from one second to sixty, and waiting just that long helps", () => {
  const backoff = new Backoff();
  let now = 1_000_000;
  for (let i = 0; i < 10; i++) {
    expect(backoff.waitSeconds("a", now)).toBe(0);
    backoff.failed("a", now);
  }
  for (const seconds of [1, 2, 4, 8, 16, 32, 60]) {
    expect(backoff.waitSeconds("a", now)).toBe(seconds);
    expect(backoff.waitSeconds("b", now)).toBe(0);
    now += seconds * 1000 - 1;
    expect(backoff.waitSeconds("a", now)).toBe(1);
    now += 1;
    expect(backoff.waitSeconds("a", now)).toBe(0);
    for (let i = 0; i < 10 && backoff.waitSeconds("a", now) === 0; i++) backoff.failed("a", now);
  }
});

test("a success, or a quiet minute, clears the record", () => {
  const backoff = new Backoff();
  for (let i = 0; i < 10; i++) backoff.failed("a", 0);
  backoff.succeeded("a");
  expect(backoff.waitSeconds("a", 0)).toBe(0);
  for (let i = 0; i < 9; i++) backoff.failed("a", 0);
  backoff.failed("a", 60_001);
  expect(backoff.waitSeconds("a", 60_001)).toBe(0);
});

test("guesses are slowed down with Retry-After, while a known key still passes and no key is no attempt", async () => {
  const org = await newOrg();
  const from = "198.51.100.77";
  const get = (key: string | null) => call("GET", `/v1/orgs/${org.id}`, { key, from });
  expect((await get(org.ownerKey)).status).toBe(200);
  for (let i = 0; i < 15; i++) expect((await get(null)).status).toBe(401);
  for (let i = 0; i < 10; i++) expect((await get("svc_live_guess")).status).toBe(401);
  const slowed = await get("svc_live_guess");
  expect([slowed.status, slowed.body.error.code]).toEqual([429, "rate_limited"]);
  expect(slowed.headers.get("retry-after")).toBe(String(slowed.body.error.details.retry_after_seconds));
  expect((await get(org.ownerKey)).status).toBe(200);
  const fresh = await org.mint("viewer");
  expect((await call("GET", `/v1/orgs/${org.id}`, { key: fresh, from })).status).toBe(429);
});
