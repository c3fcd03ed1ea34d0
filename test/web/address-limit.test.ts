import * as fc from "fast-check";
import { expect, test } from "vitest";
import { AddressLimit } from "../../src/web/address-limit.ts";
import { serve } from "../support/worker.ts";

const steps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 });

test("no minute admits more than the limit, and waiting as long as stated is enough", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), steps, (limit, gaps) => {
      const pace = new AddressLimit(limit);
      const admitted: number[] = [];
      let now = 1_700_000_000_000;
      for (const gap of gaps) {
        now += gap;
        const seconds = pace.take("198.51.100.9", now);
        if (seconds > 0) {
          now += seconds * 1000;
          expect(pace.take("198.51.100.9", now)).toBe(0);
        }
        admitted.push(now);
        expect(admitted.filter((at) => at > now - 60_000).length).toBeLessThanOrEqual(limit);
      }
    }),
  );
});

test("an address over the limit does not affect others", () => {
  const pace = new AddressLimit(1);
  expect(pace.take("198.51.100.1", 0)).toBe(0);
  expect(pace.take("198.51.100.1", 0)).toBeGreaterThan(0);
  expect(pace.take("198.51.100.2", 0)).toBe(0);
});

test.each(["/sso/login?org=x", "/saml/org_x/login", "/sso/callback/org_x?state=x", "/sso/callback?state=x"])(
  "a caller who requests %s endlessly is told to wait, on a page and in a header, and others are not",
  async (path) => {
    const from = `192.0.2.${path.length}`;
    const ask = (address: string) =>
      serve(`http://sluice.test${path}`, { headers: { "cf-connecting-ip": address }, redirect: "manual" });
    let answer = await ask(from);
    for (let asked = 0; asked < 400 && answer.status !== 429; asked += 1) answer = await ask(from);
    expect(answer.status).toBe(429);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await answer.text()).toContain("rate_limited");
    expect((await ask("192.0.2.200")).status).not.toBe(429);
  },
);
