import { expect, test } from "vitest";
import { createApp, pageRoutes } from "../../src/app.ts";
import { call, serve } from "../support/worker.ts";

/** Every path outside the API that answers GET. */
const PATHS = (await pageRoutes(createApp()))
  .filter(({ method }) => method === "GET")
  .map(({ path }) => path);

test("OPTIONS works wherever GET does outside the API, and lists what is served there", async () => {
  expect(PATHS).toEqual(expect.arrayContaining(["/healthz", "/metrics", "/docs", "/console", "/sso/login"]));
  for (const path of PATHS) {
    const answer = await call("OPTIONS", path.replaceAll(/:\w+/g, "bud_01ARZ3NDEKTSV4RRFFQ69G5FAV"));
    expect([path, answer.status, answer.text]).toEqual([path, 204, ""]);
    const allowed = (answer.headers.get("allow") ?? "").split(", ");
    expect([path, allowed]).toEqual([path, expect.arrayContaining(["GET", "HEAD", "OPTIONS"])]);
    expect(answer.headers.get("x-svc-trace-id")).toMatch(/^[-0-9a-f]{36}$/);
  }
  expect((await call("OPTIONS", "/healthz")).headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  expect((await call("OPTIONS", "/console/budgets")).headers.get("allow")).toBe("GET, HEAD, OPTIONS, POST");
});

test.for(["/console/logout", "/internal/object", "/nowhere", "/console/nowhere", "/v1/nowhere", "/"])(
  "OPTIONS %s is not found, as GET is",
  async (path) => {
    const statuses = [await call("OPTIONS", path), await serve(`http://sluice.test${path}`)];
    expect(statuses.map(({ status }) => status)).toEqual([404, 404]);
  },
);
