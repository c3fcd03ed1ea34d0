import { expect, test } from "vitest";
import { DEPRECATED_ROUTES, DEPRECATED_SURFACES, operationName } from "../../src/contract/deprecations.ts";
import changelog from "../../CHANGELOG.md?raw";
import { OPERATIONS } from "../../src/operations.ts";
import { call } from "../support/worker.ts";

/**
 * One list in every place where callers read it: the listing, the headers, OpenAPI, the metric's labels and the
 * changelog. Routes flagged at run time (also by other tests) are in all of them except the changelog, which is about
 * releases.
 */

const ANY_METHOD = OPERATIONS.map(({ contract }) => contract).filter(({ anyMethod }) => anyMethod === true);

interface Listed {
  readonly method: string;
  readonly route: string;
}

async function listed(): Promise<Listed[]> {
  return (await call("GET", "/v1/meta/deprecations")).body as Listed[];
}

type Paths = Record<string, Record<string, { deprecated?: boolean }>>;

async function operations(): Promise<{ name: string; route: string; method: string; deprecated: boolean }[]> {
  const { paths } = (await call("GET", "/v1/openapi.json")).body as { paths: Paths };
  return Object.entries(paths).flatMap(([route, item]) =>
    Object.entries(item).map(([verb, { deprecated }]) => {
      const method = verb.toUpperCase();
      // An operation that answers any method is one operation.
      const { method: own } = ANY_METHOD.find(({ path }) => path === route) ?? { method };
      return { name: operationName({ method: own, route }), route, method, deprecated: deprecated === true };
    }),
  );
}

test("listing, headers, OpenAPI, metric labels and changelog name exactly the same routes", async () => {
  const names = new Set((await listed()).map(operationName));
  const contract = DEPRECATED_ROUTES.map(operationName);
  expect([...names]).toEqual(expect.arrayContaining(contract));

  const served = await operations();
  expect(new Set(served.filter((one) => one.deprecated).map((one) => one.name))).toEqual(names);

  const signalled = await Promise.all(
    served.map(async ({ name, route, method }) => {
      const { headers } = await call(method, route.replaceAll(/\{\w+\}/g, "none"));
      return headers.has("deprecation") && headers.has("sunset") && headers.has("link") ? [name] : [];
    }),
  );
  expect(new Set(signalled.flat())).toEqual(names);

  const { text } = await call("GET", "/metrics");
  const labels = [...text.matchAll(/^svc_deprecated_route_calls_total\{route="([^"]+)"\}/gm)].map(
    ([, label]) => label,
  );
  // What was counted once stays a label, also for a route that another test flagged in this isolate alone.
  expect(labels).toEqual(expect.arrayContaining((await listed()).map(({ route }) => route)));

  const announced = [...changelog.matchAll(/^- `((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`:/gm)].map(
    ([, name]) => name,
  );
  expect(new Set(announced)).toEqual(new Set(contract));
});

test("the linked documentation says what to do about each of them", async () => {
  const { text } = await call("GET", "/docs");
  for (const { migration } of [...DEPRECATED_ROUTES, ...DEPRECATED_SURFACES]) {
    expect(text).toContain(migration?.replaceAll("'", "&#39;"));
  }
});
