import { createExecutionContext } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { Backoff } from "../../src/edge/object/backoff.ts";
import worker from "../../src/index.ts";
import { call, env, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";

test("after ten failures from one address, waits double from one second to sixty, and waiting exactly that long helps", () => {
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

test("a quiet minute clears the record", () => {
  const backoff = new Backoff();
  for (let i = 0; i < 9; i++) backoff.failed("a", 0);
  backoff.failed("a", 60_001);
  expect(backoff.waitSeconds("a", 60_001)).toBe(0);
});

test.each([
  ["2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true],
  ["2001:db8:1:2::1", "2001:0DB8:1:2::9", true],
  ["2001:db8:1:2::1", "2001:db8:1:3::1", false],
  ["::ffff:198.51.100.9", "198.51.100.9", true],
  ["198.51.100.9", "198.51.100.8", false],
  ["", "198.51.100.9", false],
])("failures from %s count against %s: %s", (failing, asking, counts) => {
  const backoff = new Backoff();
  for (let i = 0; i < 10; i++) backoff.failed(failing, 0);
  expect(backoff.waitSeconds(asking, 0) > 0).toBe(counts);
});

const GUESS = "svc_live_guess";

/** A wait of a second may be over before a slow machine has sent the next guess. */
function stopTheClock(): void {
  vi.spyOn(Date, "now").mockReturnValue(Date.now());
}
afterEach(() => void vi.restoreAllMocks());

const read = (org: TestOrg, key: string | null, from: string) =>
  call("GET", `/v1/orgs/${org.id}`, { key, from });

async function guess(org: TestOrg, times: number, from: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i++) statuses.push((await read(org, GUESS, from)).status);
  return statuses;
}

test("guesses are slowed down with Retry-After, and a request without a key is not a guess", async () => {
  const org = await newOrg();
  stopTheClock();
  const from = "198.51.100.77";
  for (let i = 0; i < 15; i++) expect((await read(org, null, from)).status).toBe(401);
  expect(new Set(await guess(org, 10, from))).toEqual(new Set([401]));
  const slowed = await read(org, GUESS, from);
  expect([slowed.status, slowed.body.error.code]).toEqual([429, "rate_limited"]);
  expect(slowed.headers.get("retry-after")).toBe(String(slowed.body.error.details.retry_after_seconds));
});

test("a valid key passes whatever others send from its address, even if the isolate does not know it yet", async () => {
  const org = await newOrg();
  stopTheClock();
  const from = "198.51.100.78";
  await guess(org, 10, from);
  expect((await read(org, await org.mint("viewer"), from)).status).toBe(200);
  expect((await read(org, org.ownerKey, from)).status).toBe(200);
  expect((await read(org, operatorKey(), from)).status).toBe(200);
  expect((await read(org, GUESS, from)).status).toBe(429);
});

test("a valid key in between does not reset the count of guesses", async () => {
  const org = await newOrg();
  stopTheClock();
  const from = "198.51.100.79";
  await guess(org, 9, from);
  expect((await read(org, await org.mint("viewer"), from)).status).toBe(200);
  expect((await read(org, operatorKey(), from)).status).toBe(200);
  expect(await guess(org, 2, from)).toEqual([401, 429]);
});

test("guesses from one host's whole IPv6 network count together", async () => {
  const org = await newOrg();
  stopTheClock();
  for (let i = 0; i < 10; i++) {
    expect((await read(org, GUESS, `2001:db8:77:1::${i + 1}`)).status).toBe(401);
  }
  expect((await read(org, GUESS, "2001:db8:77:1:aaaa::1")).status).toBe(429);
  expect((await read(org, GUESS, "2001:db8:77:2::1")).status).toBe(401);
});

test("a replaced secret counts as a guess, and its object is asked about it once", async () => {
  const org = await newOrg();
  const old = await org.mint("viewer");
  const keys = `/v1/orgs/${org.id}/keys`;
  const [{ id }] = (await call("GET", `${keys}?role=viewer`, { key: org.ownerKey })).body.data;
  await call("POST", `${keys}/${id}/rotate`, { key: org.ownerKey });
  stopTheClock();
  let asked = 0;
  const counting = new Proxy(env.ORG, {
    get(namespace, name) {
      if (name !== "getByName") return Reflect.get(namespace, name) as unknown;
      asked += 1;
      return (orgId: string) => namespace.getByName(orgId);
    },
  });
  const statuses: number[] = [];
  for (let i = 0; i < 12; i++) {
    const headers = { authorization: `Bearer ${old}`, "cf-connecting-ip": "198.51.100.80" };
    const request = new Request(`http://sluice.test/v1/orgs/${org.id}`, { headers });
    const asIncoming = request as Parameters<typeof worker.fetch>[0];
    const answer = await worker.fetch(asIncoming, { ...env, ORG: counting }, createExecutionContext());
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
  expect(asked).toBe(1);
});
