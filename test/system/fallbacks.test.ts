import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server as Provider } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { bundleWorker } from "../../scripts/bundle.ts";
import { claimPorts, HOST } from "../../scripts/ports.ts";
import { type Server, startServer } from "../../scripts/server.ts";
import { PROVIDER_KEY } from "../support/governed.ts";
import { LASTING } from "../support/lasting.ts";

/** The proxy as a Worker with a binding to the service, before a provider whose models fail as a test says. */

const folder = mkdtempSync(join(tmpdir(), "sluice-fallbacks-"));
const USAGE = { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 };
let server: Server;
let proxy: string;
let provider: Provider;
let got: string[] = [];
let statusOf: (model: string) => number = () => 200;

beforeAll(async () => {
  provider = createServer(LASTING, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { model } = JSON.parse(Buffer.concat(chunks).toString()) as { model: string };
      got.push(model);
      response.writeHead(statusOf(model), { "content-type": "application/json" });
      response.end(JSON.stringify({ model, choices: [], usage: USAGE }));
    });
  });
  await new Promise<void>((resolve) => {
    provider.listen(0, HOST, resolve);
  });
  const url = `http://${HOST}:${(provider.address() as AddressInfo).port}`;
  const [port = 0] = await claimPorts(0, 1);
  const script = await bundleWorker("src/proxy/index.ts");
  server = await startServer({
    port: 0,
    dataDir: folder,
    companions: (service) => [
      {
        name: "proxy",
        modules: [{ type: "ESModule", path: "proxy.mjs", contents: script }],
        compatibilityDate: "2026-07-30",
        compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
        serviceBindings: { SLUICE: { name: service, entrypoint: "Gate" } },
        bindings: { PROXY_ORGS: "*", OPENAI_URL: url, OPENAI_API_KEY: PROVIDER_KEY },
        unsafeDirectSockets: [{ host: HOST, port }],
      },
    ],
  });
  proxy = `http://${HOST}:${port}`;
});

afterAll(async () => {
  await server.dispose();
  provider.close();
  provider.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => {
  got = [];
  statusOf = () => 200;
});

// oxlint-disable-next-line typescript/no-explicit-any -- what the API returns is checked by the test
async function http(method: string, path: string, key: string, sent?: object): Promise<any> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const init = { method, headers, ...(sent === undefined ? {} : { body: JSON.stringify(sent) }) };
  const answer = await fetch(`${server.urls[0]}${path}`, init);
  expect(answer.status).toBeLessThan(300);
  return answer.json();
}

const ONE = { input_usd_per_mtok: "1000", output_usd_per_mtok: "1000" };
const TENTH = { input_usd_per_mtok: "100", output_usd_per_mtok: "100" };

/** An org with a large and a small model and a rule that leads from one to the other. */
async function orgWith(rule: object) {
  const operator = server.settings["SVC_OPERATOR_KEY"] ?? "";
  const { org, owner_key: key } = await http("POST", "/v1/admin/orgs", operator, { name: "f" });
  const at = `/v1/orgs/${org.id as string}`;
  await http("PUT", `${at}/models/large`, key as string, ONE);
  await http("PUT", `${at}/models/small`, key as string, TENTH);
  const match = { model: "large" };
  await http("PUT", `${at}/fallbacks/cheaper`, key as string, { match, then: [{ model: "small" }], ...rule });
  return { at, key: key as string };
}

async function called(key: string) {
  const body = { model: "large", max_tokens: 1000, messages: [{ role: "user", content: "hi" }] };
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(`${proxy}/openai/v1/chat/completions`, init);
  await answer.text();
  return [answer.status, answer.headers.get("x-sluice-model")];
}

async function settledBudget({ at, key }: { at: string; key: string }, runs: number) {
  await expect.poll(async () => (await http("GET", "/v1/runs", key)).data.length as number).toBe(runs);
  return (await http("GET", `${at}/budgets`, key)).data[0] as { spent_usd: string; reserved_usd: string };
}

test("a budget that has no room for the large model has some for the small one, and is charged its price", async () => {
  const org = await orgWith({ on: ["limit"] });
  // A call of the large model takes a dollar for its output, and one of the small model a tenth.
  await http("POST", `${org.at}/budgets`, org.key, { scope_kind: "org", limit_usd: "0.5", period: "total" });
  expect(await called(org.key)).toEqual([200, "small"]);
  expect(got).toEqual(["small"]);
  const { spent_usd, reserved_usd } = await settledBudget(org, 1);
  expect([spent_usd, reserved_usd]).toEqual(["0.20", "0.00"]);
  const [run] = (await http("GET", "/v1/runs", org.key)).data;
  expect(run).toMatchObject({
    model: "small",
    requested_model: "large",
    fallback: "cheaper",
    cost_usd: "0.20",
  });
});

test("a model whose provider is busy is charged nothing, and the one that answers its own price", async () => {
  const org = await orgWith({ on: ["provider_error"] });
  await http("POST", `${org.at}/budgets`, org.key, { scope_kind: "org", limit_usd: "50", period: "total" });
  statusOf = (model) => (model === "large" ? 503 : 200);
  expect(await called(org.key)).toEqual([200, "small"]);
  const { spent_usd, reserved_usd } = await settledBudget(org, 2);
  expect([got, spent_usd, reserved_usd]).toEqual([["large", "small"], "0.20", "0.00"]);
});

test("budgets that are used up to the share make calls begin with the small model", async () => {
  const org = await orgWith({ on: [], budget_share: "0.4" });
  await http("POST", `${org.at}/budgets`, org.key, { scope_kind: "org", limit_usd: "5", period: "total" });
  expect(await called(org.key)).toEqual([200, "large"]);
  await settledBudget(org, 1);
  // Two of five dollars are used. The proxy keeps what it was told for five seconds.
  await expect.poll(() => called(org.key), { interval: 1000 }).toEqual([200, "small"]);
});
