import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server as Provider } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { bundleWorker } from "../../scripts/bundle.ts";
import { claimPorts, HOST } from "../../scripts/ports.ts";
import { type Server, startServer } from "../../scripts/server.ts";
import { PROVIDER_KEY } from "../support/governed.ts";
import { body, CHAT, fine } from "../support/hostile-provider.ts";
import { LASTING } from "../support/lasting.ts";

/** The proxy as a Worker with a binding to the service, which hands it the keys that orgs have set. */

const folder = mkdtempSync(join(tmpdir(), "sluice-provider-keys-"));
const SECRET = "sk-of-the-org-0123456789";
const EU_SECRET = "sk-of-the-org-in-eu-0123456789";
let server: Server;
let proxy: string;
let [usual, elsewhere]: { provider: Provider; url: string; got: IncomingMessage[] }[] = [];
let status = 200;

/** Tells whoever asks the key that it was sent. */
async function startProvider() {
  const got: IncomingMessage[] = [];
  const provider = createServer(LASTING, (request, response) => {
    got.push(request);
    request.resume();
    const key = request.headers.authorization ?? "";
    response.writeHead(status, { "content-type": "application/json", "x-echo": key });
    response.end(status === 200 ? fine : JSON.stringify({ error: { message: `wrong key: ${key}` } }));
  });
  await new Promise<void>((resolve) => {
    provider.listen(0, HOST, resolve);
  });
  return { provider, url: `http://${HOST}:${(provider.address() as AddressInfo).port}`, got };
}

beforeAll(async () => {
  [usual, elsewhere] = [await startProvider(), await startProvider()];
  const [port = 0] = await claimPorts(0, 1);
  const script = await bundleWorker("src/proxy/index.ts");
  const bindings = { PROXY_ORGS: "*", OPENAI_URL: usual.url, OPENAI_API_KEY: PROVIDER_KEY };
  server = await startServer({
    port: 0,
    dataDir: folder,
    settings: { SVC_WEBHOOK_ALLOW_PRIVATE: "true" },
    companions: (service) => [
      {
        name: "proxy",
        modules: [{ type: "ESModule", path: "proxy.mjs", contents: script }],
        compatibilityDate: "2026-07-30",
        compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
        serviceBindings: { SLUICE: { name: service, entrypoint: "Gate" } },
        bindings,
        unsafeDirectSockets: [{ host: HOST, port }],
      },
    ],
  });
  proxy = `http://${HOST}:${port}`;
});

afterAll(async () => {
  await server.dispose();
  for (const one of [usual, elsewhere]) {
    one?.provider.close();
    one?.provider.closeAllConnections();
  }
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => {
  status = 200;
  for (const one of [usual, elsewhere]) one?.got.splice(0);
});

async function http(method: string, path: string, key: string, sent?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const init = { method, headers, ...(sent === undefined ? {} : { body: JSON.stringify(sent) }) };
  return fetch(`${server.urls[0]}${path}`, init);
}

/** An org with these keys of providers. */
async function orgWith(keys: Readonly<Record<string, object>>) {
  const operator = server.settings["SVC_OPERATOR_KEY"] ?? "";
  const made = await (await http("POST", "/v1/admin/orgs", operator, { name: "k" })).json();
  const { org, owner_key: key } = made as { org: { id: string }; owner_key: string };
  const price = { input_usd_per_mtok: "1", output_usd_per_mtok: "1" };
  expect((await http("PUT", `/v1/orgs/${org.id}/models/gpt-4o-mini`, key, price)).status).toBe(200);
  for (const [name, sent] of Object.entries(keys)) {
    const set = await http("PUT", `/v1/orgs/${org.id}/provider-keys/${name}`, key, sent);
    expect(set.status).toBe(200);
  }
  return { id: org.id, key };
}

/** What became of a call: its status, its text, and the key with which it reached which provider. */
async function called(key: string, headers: Record<string, string> = {}) {
  const sent = { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers };
  const answer = await fetch(proxy + CHAT, { method: "POST", headers: sent, body });
  const text = [await answer.text(), ...answer.headers.values()].join("\n");
  const reached = (one: typeof usual) => one?.got.at(-1)?.headers;
  return { status: answer.status, text, usual: reached(usual), elsewhere: reached(elsewhere) };
}

test("calls of an org go with the key that it has set, and those of others with the proxy's", async () => {
  const [one, other] = [await orgWith({ openai: { secret: SECRET } }), await orgWith({})];
  const mine = await called(one.key);
  expect([mine.status, mine.usual?.authorization]).toEqual([200, `Bearer ${SECRET}`]);
  expect(mine.text).not.toContain(SECRET);
  const theirs = await called(other.key);
  expect([theirs.status, theirs.usual?.authorization]).toEqual([200, `Bearer ${PROVIDER_KEY}`]);
});

test("a header chooses another key, which goes where it is set to go with its own headers", async () => {
  const eu = { secret: EU_SECRET, base_url: `${elsewhere?.url}/eu`, headers: { "x-team": "search" } };
  const { key } = await orgWith({ openai: { secret: SECRET }, "openai/eu": eu });
  const chosen = await called(key, { "x-sluice-provider-key": "openai/eu" });
  expect([chosen.status, chosen.usual]).toEqual([200, undefined]);
  expect(chosen.elsewhere).toMatchObject({ authorization: `Bearer ${EU_SECRET}`, "x-team": "search" });
  expect(elsewhere?.got[0]?.url).toBe("/eu/v1/chat/completions");
  expect(chosen.elsewhere?.["x-sluice-provider-key"]).toBeUndefined();
});

test.each([
  ["openai/none", 404, "not_found"],
  ["anthropic", 400, "bad_request"],
  ["openai/other-models", 403, "forbidden"],
])("the key %s is %i %s, and nothing is sent", async (name, refusedAs, code) => {
  const { key } = await orgWith({ "openai/other-models": { secret: SECRET, models: ["o3*"] } });
  const refused = await called(key, { "x-sluice-provider-key": name });
  expect([refused.status, refused.text.includes(`"${code}"`)]).toEqual([refusedAs, true]);
  expect([refused.usual, refused.elsewhere]).toEqual([undefined, undefined]);
});

test("a key for other models leaves the call to the proxy's own", async () => {
  const { key } = await orgWith({ openai: { secret: SECRET, models: ["o3*"] } });
  expect((await called(key)).usual?.authorization).toBe(`Bearer ${PROVIDER_KEY}`);
});

test("a key that the provider refuses is shown to nobody", async () => {
  const { key } = await orgWith({ openai: { secret: SECRET } });
  for (const refusal of [401, 403]) {
    status = refusal;
    const answer = await called(key);
    expect(answer.usual?.authorization).toBe(`Bearer ${SECRET}`);
    expect(answer.status).toBe(refusal === 401 ? 502 : 403);
    expect(answer.text).not.toContain(SECRET);
  }
});

test("made-up keys get no key of an org, and nothing is sent", async () => {
  const { key } = await orgWith({ openai: { secret: SECRET } });
  const made = `${key.slice(0, -6)}AAAAAA`;
  expect(await called(made)).toMatchObject({ status: 401, usual: undefined });
});
