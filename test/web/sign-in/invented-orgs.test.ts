import { listDurableObjectIds } from "cloudflare:test";
import { expect, test } from "vitest";
import { newId } from "../../../src/domain/bytes/ulid.ts";
import { call, env, newOrg } from "../../support/worker.ts";

async function objects(): Promise<Set<string>> {
  return new Set((await listDurableObjectIds(env.ORG)).map(String));
}

test.each([
  ["OpenID Connect", (org: string) => `/sso/login?org=${org}`],
  ["SAML", (org: string) => `/saml/${org}/login`],
])("%s: an org that does not exist gets no object", async (_, path) => {
  await newOrg();
  const before = await objects();
  const statuses = new Set<number>();
  for (let time = 0; time < 5; time += 1) {
    const invented = newId("org", Date.now());
    const { status, text } = await call("GET", path(invented), { from: `2001:db8:77::${time + 1}` });
    statuses.add(status);
    expect(text).not.toContain(invented);
  }
  expect([...statuses]).toHaveLength(1);
  expect(await objects()).toEqual(before);
  const real = await newOrg();
  expect((await call("GET", path(real.id))).status).toBe([...statuses][0]);
});

test("all addresses of one IPv6 network share their rate", async () => {
  const login = (host: number) =>
    call("GET", "/sso/login?org=x", { from: `2001:db8:78::${host.toString(16)}` });
  const statuses = await Promise.all(Array.from({ length: 250 }, (_, host) => login(host)));
  expect(statuses.some(({ status }) => status === 429)).toBe(true);
  expect((await call("GET", "/sso/login?org=x", { from: "2001:db8:79::1" })).status).not.toBe(429);
});
