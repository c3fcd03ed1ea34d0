import { expect, test } from "vitest";
import { createApp, pageRoutes } from "../../src/app.ts";
import { CONTRACTS } from "../../src/operations.ts";
import { PROXIED } from "../../src/proxied-path.ts";
import { PROVIDERS } from "../../src/providers/table.ts";

const isProxied = (path: string) => PROXIED.test(`https://sluice.example${path}`);

test("one Worker hands the prefix of every provider to the proxy, and no route of the service", async () => {
  expect(Object.keys(PROVIDERS).filter((name) => !isProxied(`/${name}/v1/models`))).toEqual([]);
  const routes = [...(await pageRoutes(createApp())), ...CONTRACTS].map(({ path }) => path);
  expect(routes.length).toBeGreaterThan(100);
  expect(routes.filter((path) => path !== "/*" && isProxied(path))).toEqual([]);
});
