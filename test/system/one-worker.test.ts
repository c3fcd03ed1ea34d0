import { afterAll, beforeAll, expect, test } from "vitest";
import { localProviders } from "../../scripts/local-proxy.ts";
import { ONE_WORKER } from "../../scripts/worker-config.ts";
import { callerAt, type ServerFixture, serverFixture } from "../support/server.ts";

/** The service and the governed proxy in one Worker: the proxy's gate is the Worker's own. */

let fixture: ServerFixture;
let closeStandIn: () => void;

beforeAll(async () => {
  const { settings, standIn } = await localProviders({});
  closeStandIn = () => void standIn.close();
  fixture = await serverFixture({
    entry: ONE_WORKER,
    variables: settings,
    settings: { SVC_WEBHOOK_ALLOW_PRIVATE: "true" },
  });
});
afterAll(async () => {
  await fixture.end();
  closeStandIn();
});

async function newKey(): Promise<{ id: string; key: string }> {
  const call = callerAt(fixture.server.urls[0]);
  const operator = fixture.server.settings["SVC_OPERATOR_KEY"] ?? "";
  const { body } = await call("POST", "/v1/admin/orgs", { key: operator, body: { name: "One" } });
  return { id: body.org.id, key: body.owner_key };
}

const BODY = { model: "gpt-4o-mini", max_tokens: 16, messages: [{ role: "user", content: "Hello!" }] };

test("serves both, and governs what goes through the proxy", async () => {
  const call = callerAt(fixture.server.urls[0]);
  const { id, key } = await newKey();
  expect((await call("GET", "/healthz")).status).toBe(200);
  const prices = { provider: "openai", input_usd_per_mtok: "1", output_usd_per_mtok: "1" };
  expect((await call("PUT", `/v1/orgs/${id}/models/gpt-4o-mini`, { key, body: prices })).status).toBeLessThan(
    300,
  );
  const answered = await call("POST", "/openai/v1/chat/completions", { key, body: BODY });
  expect([answered.status, answered.body.object]).toEqual([200, "chat.completion"]);
  await expect
    .poll(async () => (await call("GET", "/v1/runs", { key })).body.data)
    .toMatchObject([{ model: "gpt-4o-mini" }]);
  const budget = { scope_kind: "org", limit_usd: "0.000001", period: "month", mode: "enforce" };
  expect((await call("POST", `/v1/orgs/${id}/budgets`, { key, body: budget })).status).toBe(201);
  await expect
    .poll(async () => (await call("POST", "/openai/v1/chat/completions", { key, body: BODY })).status)
    .toBe(402);
});

test("a call without a key reaches no provider", async () => {
  const { status } = await callerAt(fixture.server.urls[0])("POST", "/anthropic/v1/messages", { body: BODY });
  expect(status).toBe(401);
});

test("a base_url that is this Worker by another name is called once, and is 508 to its caller", async () => {
  const url = fixture.server.urls[0];
  const call = callerAt(url);
  const { id, key } = await newKey();
  const prices = { provider: "openai", input_usd_per_mtok: "1", output_usd_per_mtok: "1" };
  expect((await call("PUT", `/v1/orgs/${id}/models/gpt-4o-mini`, { key, body: prices })).status).toBeLessThan(
    300,
  );
  const base_url = `${url.replace("127.0.0.1", "localhost")}/openai`;
  const set = await call("PUT", `/v1/orgs/${id}/provider-keys/openai`, {
    key,
    body: { secret: key, base_url },
  });
  expect(set.status).toBe(200);
  const looped = await call("POST", "/openai/v1/chat/completions", { key, body: BODY });
  expect([looped.status, looped.body.error]).toMatchObject([508, { code: "loop_detected" }]);
  await expect
    .poll(async () => (await call("GET", "/v1/runs", { key })).body)
    .toMatchObject({ data: [{ outcome: "failed", cost_usd: "0.00" }] });
});
