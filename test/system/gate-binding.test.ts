import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleWorker } from "../../scripts/bundle.ts";
import { claimPorts, HOST } from "../../scripts/ports.ts";
import { type Server, startServer } from "../../scripts/server.ts";
import type { GateAnswer } from "../../src/client/gate/index.ts";

/** The entrypoint `Gate`, called by another Worker of the account over a service binding. */

const folder = mkdtempSync(join(tmpdir(), "sluice-binding-"));
const ASK = { estimate: { cost_usd: "0.01" } };
let server: Server;
let caller: string;
let org: { id: string; key: string };

beforeAll(async () => {
  const [port = 0] = await claimPorts(0, 1);
  const script = await bundleWorker("test/support/caller-worker.ts");
  server = await startServer({
    port: 0,
    dataDir: folder,
    companions: (service) => [
      {
        name: "caller",
        modules: [{ type: "ESModule", path: "caller.mjs", contents: script }],
        compatibilityDate: "2026-07-30",
        compatibilityFlags: ["nodejs_compat"],
        serviceBindings: { SLUICE: { name: service, entrypoint: "Gate" } },
        unsafeDirectSockets: [{ host: HOST, port }],
      },
    ],
  });
  caller = `http://${HOST}:${port}`;
  const made = await http("POST", "/v1/admin/orgs", server.settings["SVC_OPERATOR_KEY"] ?? "", { name: "b" });
  const { org: found, owner_key: key } = made as { org: { id: string }; owner_key: string };
  org = { id: found.id, key };
});

afterAll(async () => {
  await server.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function http(method: string, path: string, key: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return (await fetch(`${server.urls[0]}${path}`, init)).json();
}

async function told(what: object): Promise<unknown> {
  return (await fetch(caller, { method: "POST", body: JSON.stringify(what) })).json();
}

const rpc = async (method: string, ...given: unknown[]): Promise<GateAnswer> =>
  (await told({ method, given })) as GateAnswer;

test("each method passes the checks of its request over HTTP", async () => {
  const decided = await rpc("decide", org.key, ASK);
  expect([decided.status, decided.headers["x-svc-trace-id"]]).toEqual([
    200,
    expect.stringMatching(/^[0-9a-f-]{36}$/),
  ]);
  const { reservation } = JSON.parse(decided.text) as { reservation: { id: string } };
  const renewed = await rpc("renew", org.key, reservation.id, { amount_usd: "0.03" });
  expect([renewed.status, JSON.parse(renewed.text)]).toMatchObject([
    200,
    { reservation: { amount_usd: "0.03" } },
  ]);
  const run = {
    id: "run-1",
    started_at: new Date().toISOString(),
    reservation_id: reservation.id,
    model: "m",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: "0.02",
  };
  const settled = await rpc("settle", org.key, [run], "once");
  expect(settled.status).toBeLessThan(300);
  const again = await rpc("settle", org.key, [run], "once");
  expect([again.text, again.headers["idempotent-replayed"]]).toEqual([settled.text, "true"]);
  expect((await rpc("release", org.key, reservation.id)).status).toBe(409);
  const exchange = { version: 1, holder: "a-gate-over-rpc", ids: 1 };
  expect(JSON.parse((await rpc("leases", org.key, exchange)).text)).toMatchObject({ version: 1 });
  const every = {
    decide: [ASK],
    leases: [exchange],
    settle: [[run]],
    release: [reservation.id],
    renew: [reservation.id, {}],
  };
  for (const [method, given] of Object.entries(every)) {
    expect((await rpc(method, "svc_live_wrong", ...given)).status).toBe(401);
  }
});

test("a gate of another Worker decides, settles, releases and renews over it", async () => {
  const body = { scope_kind: "org", limit_usd: "1000", period: "total" };
  const { id } = (await http("POST", `/v1/orgs/${org.id}/budgets`, org.key, body)) as { id: string };
  const { renewed, stats } = (await told({ key: org.key, calls: 40 })) as {
    renewed: { amount_usd: string };
    stats: Record<string, number>;
  };
  expect(renewed.amount_usd).toBe("0.02");
  expect(stats).toMatchObject({ runsSent: 20, runsQueued: 0, runsRejected: 0, holdsRefused: 0 });
  expect(await http("GET", `/v1/orgs/${org.id}/budgets/${id}`, org.key)).toMatchObject({
    spent_usd: "0.10",
    reserved_usd: "0.02",
  });
});

test("hands an org's key of a provider to keys of that org that may decide, and to no others", async () => {
  const secret = "sk-of-the-org-0123456789";
  await http("PUT", `/v1/orgs/${org.id}/provider-keys/openai/eu`, org.key, { secret });
  const opened = await rpc("providerKey", org.key, "openai/eu");
  expect([opened.status, JSON.parse(opened.text)]).toMatchObject([200, { provider: "openai/eu", secret }]);
  const viewer = await http("POST", `/v1/orgs/${org.id}/keys`, org.key, { name: "v", role: "viewer" });
  const other = await http("POST", "/v1/admin/orgs", server.settings["SVC_OPERATOR_KEY"] ?? "", {
    name: "o",
  });
  const refused = [
    [(viewer as { key: string }).key, "openai/eu", 403],
    [(other as { owner_key: string }).owner_key, "openai/eu", 404],
    [org.key, "openai", 404],
    [server.settings["SVC_OPERATOR_KEY"] ?? "", "openai/eu", 403],
    ["svc_live_made-up", "openai/eu", 401],
  ] as const;
  for (const [key, name, status] of refused) {
    const answer = await rpc("providerKey", key, name);
    expect([name, answer.status, answer.text.includes(secret)]).toEqual([name, status, false]);
  }
});
