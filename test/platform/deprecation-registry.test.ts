import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { DEPRECATED_ROUTES, type Deprecation } from "../../src/contract/deprecations.ts";
import { DeprecationCopy } from "../../src/edge/request/deprecation.ts";
import { IN_TWO_YEARS } from "../support/deprecation.ts";
import type { DeprecationRegistry } from "../../src/platform/deprecation-registry.ts";
import { evict } from "../support/evict.ts";

const { REGISTRY } = env as unknown as { REGISTRY: DurableObjectNamespace<DeprecationRegistry> };

const flagged: Deprecation = {
  method: "GET",
  route: "/v1/orgs/{id}",
  since: "2026-08-01",
  sunset: IN_TWO_YEARS,
  documentation: "https://docs.example.test/orgs",
};

describe("the registry", () => {
  test("starts with the contract's deprecations", async () => {
    expect(await REGISTRY.getByName("fresh").copy()).toEqual({ version: 0, deprecations: DEPRECATED_ROUTES });
  });

  test("keeps flagged routes after an eviction, and removes nothing", async () => {
    const registry = REGISTRY.getByName("kept");
    const outcome = await registry.flag(flagged, Date.now());
    expect(outcome).toMatchObject({ flagged: true, deprecation: flagged, copy: { version: 1 } });
    await evict(registry);
    expect((await registry.copy()).deprecations).toEqual([...DEPRECATED_ROUTES, flagged]);
  });

  test("extends a sunset and refuses to shorten one, and a refusal changes nothing", async () => {
    const registry = REGISTRY.getByName("extended");
    const [forecast] = DEPRECATED_ROUTES.filter(({ route }) => route === "/v1/forecast");
    if (!forecast) throw new Error("the forecast is deprecated");
    const later = { ...forecast, sunset: "Sat, 31 Dec 2039 23:59:59 GMT" };
    expect(await registry.flag(later, Date.now())).toMatchObject({ flagged: true });
    const before = await registry.copy();
    for (const refused of [forecast, { ...later, since: "2026-07-21" }]) {
      expect(await registry.flag(refused, Date.now())).toMatchObject({ flagged: false });
    }
    expect(await registry.copy()).toEqual(before);
    expect(before.deprecations.find(({ route }) => route === "/v1/forecast")).toEqual(later);
  });
});

describe("an isolate's copy", () => {
  test("knows the contract's deprecations before it has asked anyone", () => {
    const copy = new DeprecationCopy();
    for (const { method, route } of DEPRECATED_ROUTES) expect(copy.find(method, route)?.route).toBe(route);
    expect(copy.find("GET", "/v1/runs")).toBeUndefined();
  });

  test("treats HEAD as GET, and OPTIONS or an unserved method as the whole route", () => {
    const copy = new DeprecationCopy();
    const rotate = "/v1/admin/orgs/{org_id}/webhook-secret/rotate";
    expect(copy.find("HEAD", "/v1/forecast")).toBeDefined();
    expect(copy.find("OPTIONS", "/v1/forecast")).toBeDefined();
    expect(copy.find("OPTIONS", rotate)).toBeDefined();
    expect(copy.findPath("/v1/admin/orgs/org_1/webhook-secret/rotate")).toBeDefined();
    expect(copy.findPath("/v1/admin/orgs/org_1/webhook-secret/rotate/x")).toBeUndefined();
    expect(copy.findPath("/v1/forecasts")).toBeUndefined();
    copy.install({ version: 1, deprecations: [flagged] }, 0);
    expect(copy.find("PATCH", flagged.route)).toBeUndefined();
    expect(copy.find("GET", flagged.route)).toBeDefined();
  });

  test("is never used more than a second after it was requested", async () => {
    const copy = new DeprecationCopy();
    expect(copy.renewal(5000)).toBe("blocking");
    await copy.renew(REGISTRY, 5000);
    expect(copy.renewal(5499)).toBe("none");
    expect(copy.renewal(5500)).toBe("behind");
    expect(copy.renewal(5501)).toBe("none");
    expect(copy.renewal(6000)).toBe("blocking");
  });

  test("is never replaced by an older one that arrives late", () => {
    const copy = new DeprecationCopy();
    copy.install({ version: 2, deprecations: [flagged] }, 100);
    copy.install({ version: 1, deprecations: [] }, 200);
    expect(copy.find("GET", flagged.route)).toBeDefined();
  });
});
