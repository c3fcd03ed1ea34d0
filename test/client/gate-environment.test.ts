import { afterEach, expect, test, vi } from "vitest";
import { createGate } from "../../src/client/gate/index.ts";
import { Sluice } from "../../src/client/index.ts";
import { KEY, leaseReply } from "./lease-replies.ts";

afterEach(() => void vi.unstubAllEnvs());

async function sentBy(
  options: Parameters<typeof createGate>[0],
): Promise<{ url: string; key: string | null }> {
  let sent = { url: "", key: null as string | null };
  const gate = createGate({
    ...options,
    fetch: async (url, { headers }) => {
      sent = { url, key: new Headers(headers).get("authorization") };
      return leaseReply();
    },
  });
  await gate.facts();
  return sent;
}

test("a gate takes its address and its key from the environment, as the client does", async () => {
  vi.stubEnv("SLUICE_URL", "https://own.test");
  vi.stubEnv("SLUICE_KEY", KEY);
  expect(await sentBy({})).toEqual({ url: "https://own.test/v1/edge/leases", key: `Bearer ${KEY}` });
  const other = KEY.replace("00A_", "00B_");
  expect(await sentBy({ url: "https://other.test", key: other })).toEqual({
    url: "https://other.test/v1/edge/leases",
    key: `Bearer ${other}`,
  });
});

test("a gate without a key, with one of nobody, or with a wrong address is refused when it is created", () => {
  vi.stubEnv("SLUICE_URL", undefined);
  vi.stubEnv("SLUICE_KEY", undefined);
  expect(() => createGate()).toThrow(/^key must be an API key of an organization/);
  vi.stubEnv("SLUICE_KEY", KEY);
  expect(() => createGate()).not.toThrow();
  // A caller's empty key is not the key of the process.
  expect(() => createGate({ key: "" })).toThrow(/^key must be an API key of an organization/);
  vi.stubEnv("SLUICE_URL", "sluice.test");
  const text = (create: () => unknown) => {
    try {
      return String(create());
    } catch (error) {
      return String(error);
    }
  };
  expect(text(() => createGate())).toMatch(/url must be an address such as/);
  expect(text(() => createGate())).toBe(text(() => new Sluice()));
});
