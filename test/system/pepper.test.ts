import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type Server, startServer } from "../../scripts/server.ts";
import { makeFolder } from "../support/folder.ts";
import { http, type HttpAnswer } from "../support/http.ts";
import { type HttpReceiver, startReceiver } from "../support/http-receiver.ts";
import { PATIENT } from "../support/patience.ts";

/** One org whose pepper changes. The tests run in order, each on a server with the settings of the next step. */

const OLD = "the-old-pepper-0123456789abcdefghijklmnop";
const NEW = "the-new-pepper-0123456789abcdefghijklmnop";
const operator = "svc_operator_for-tests-0123456789abcdefghij";

const folder = makeFolder();
let receiver: HttpReceiver;
let server: Server | null = null;

beforeAll(async () => void (receiver = await startReceiver()));
afterEach(async () => {
  await server?.dispose();
  server = null;
});
afterAll(async () => {
  await receiver.close();
  folder.remove();
});

async function serve(settings: Record<string, string>): Promise<void> {
  const always = { SVC_OPERATOR_KEY: operator, SVC_WEBHOOK_ALLOW_PRIVATE: "true" };
  server = await startServer({ port: 0, dataDir: folder.path, settings: { ...always, ...settings } });
}

function ask(method: string, path: string, options: Parameters<typeof http>[2] = {}): Promise<HttpAnswer> {
  return http(method, `${server?.urls[0]}${path}`, { key: operator, ...options });
}

/** What the first steps leave for the later ones. */
const made = {
  id: "",
  /** An org that nobody calls. */
  quietId: "",
  owner: "",
  used: "",
  late: "",
  unused: "",
  graced: "",
  minted: "",
  hookId: "",
  /** A webhook whose address is a secret, and is stored encrypted. */
  chatId: "",
  hookSecret: "",
  token: "",
  cookie: "",
  created: "",
  hold: "",
  laterHold: "",
};

const path = (rest = "") => `/v1/orgs/${made.id}${rest}`;
const statusWith = async (key: string) => (await ask("GET", path(), { key })).status;

async function mint(role: string): Promise<{ id: string; key: string }> {
  return (await ask("POST", path("/keys"), { key: made.owner, body: { name: role, role } })).body;
}

async function decided(requestId: string): Promise<string> {
  const body = { request_id: requestId, estimate: { cost_usd: "0.01" } };
  const answer = await ask("POST", "/v1/edge/decision", { key: made.used, body });
  expect(answer.status).toBe(200);
  return answer.body.reservation.id;
}

async function createOnce(): Promise<string> {
  const body = { scope_kind: "org", limit_usd: "100", period: "month", mode: "enforce" };
  const headers = { "idempotency-key": "a budget" };
  return (await ask("POST", path("/budgets"), { key: made.owner, body, headers })).text;
}

/** A delivery that is sent now verifies with the secret that the receiver has had all along. */
async function pinged(): Promise<void> {
  const before = receiver.arrived.length;
  await ask("POST", path(`/webhooks/${made.hookId}/test`), { key: made.owner });
  await vi.waitUntil(() => receiver.arrived.length > before, PATIENT);
  const { body, headers } = receiver.arrived[before] ?? { body: "", headers: {} };
  expect(new Webhook(made.hookSecret).verify(body, headers)).toBeDefined();
  await ask("POST", path(`/webhooks/${made.chatId}/test`), { key: made.owner });
  const isChat = ({ body: sent }: { readonly body: string }) => sent.includes("This is a test");
  await vi.waitUntil(() => receiver.arrived.slice(before).some(isChat), PATIENT);
}

async function left(id = made.id): Promise<{ keys_left: number; tokens_left: number; sealed_left: number }> {
  const { data } = (await ask("GET", "/v1/admin/pepper")).body;
  return data.find((one: { org_id: string }) => one.org_id === id);
}

const isWhole = async (id = made.id) => (await ask("GET", `/v1/orgs/${id}/audit-log/verify`)).body.valid;

test("an org has keys, tokens and encrypted values under its first pepper", async () => {
  await serve({ SVC_KEY_PEPPER: OLD });
  const opened = await ask("POST", "/v1/admin/orgs", { body: { name: "Acme", environment: "test" } });
  Object.assign(made, { id: opened.body.org.id, owner: opened.body.owner_key });
  made.quietId = (await ask("POST", "/v1/admin/orgs", { body: { name: "Quiet" } })).body.org.id;
  made.used = (await mint("developer")).key;
  made.late = (await mint("developer")).key;
  made.unused = (await mint("viewer")).key;
  const rotated = await mint("viewer");
  made.graced = rotated.key;
  await ask("POST", path(`/keys/${rotated.id}/rotate`), {
    key: made.owner,
    body: { grace_seconds: 604_800 },
  });
  const hook = await ask("POST", path("/webhooks"), {
    key: made.owner,
    body: { url: receiver.url, events: ["*"] },
  });
  Object.assign(made, { hookId: hook.body.id, hookSecret: hook.body.secret });
  const chat = { format: "slack", url: receiver.url, events: ["key.revoked"] };
  made.chatId = (await ask("POST", path("/webhooks"), { key: made.owner, body: chat })).body.id;
  made.token = (
    await ask("POST", path("/customers/c1/tokens"), { key: made.owner, body: { ttl_seconds: 3600 } })
  ).body.token;
  const link = new URL((await ask("POST", path("/console-links"), { key: made.owner })).body.url);
  const entered = await http("GET", `${server?.urls[0]}${link.pathname}${link.search}`);
  made.cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
  made.created = await createOnce();
  made.hold = await decided("a request");
  await pinged();
  expect(await left()).toMatchObject({ keys_left: 0, tokens_left: 0, sealed_left: 0 });
});

test("under a new pepper everything from before goes on working, and what is used needs the old one no more", async () => {
  await serve({ SVC_KEY_PEPPER: NEW, SVC_KEY_PEPPER_PREVIOUS: OLD });
  // Six secrets: the owner's, two developers', a viewer's, and a rotated key's current and earlier one.
  expect(await left()).toMatchObject({ keys_left: 6, tokens_left: 2 });
  // In the middle of it, what only the first call under the new pepper may change has changed.
  for (const key of [made.owner, made.used, made.graced]) expect(await statusWith(key)).toBe(200);
  for (const key of [made.owner, made.used, made.graced]) expect(await statusWith(key)).toBe(200);
  expect(await statusWith(`${made.used.slice(0, -1)}${made.used.endsWith("A") ? "B" : "A"}`)).toBe(401);
  made.minted = (await mint("developer")).key;
  expect(await statusWith(made.minted)).toBe(200);
  expect((await ask("GET", "/v1/customer", { key: made.token })).status).toBe(200);
  const console = await fetch(`${server?.urls[0]}/console`, {
    headers: { cookie: made.cookie },
    redirect: "manual",
  });
  expect(console.status).toBe(200);
  expect(await createOnce()).toBe(made.created);
  expect(await decided("a request")).toBe(made.hold);
  await pinged();
  expect(await isWhole()).toBe(true);
  await vi.waitUntil(async () => (await left(made.quietId)).sealed_left === 0, PATIENT);
  // The stored response is the one encrypted value that only expires.
  await vi.waitUntil(async () => (await left()).sealed_left === 1, PATIENT);
  expect(await left()).toMatchObject({ keys_left: 3, tokens_left: 2 });
  expect(await statusWith(made.late)).toBe(200);
  await ask("POST", `/v1/admin/orgs/${made.id}/test-clock`, { body: { advance_seconds: 90_000 } });
  made.laterHold = await decided("a later request");
  expect(await left()).toMatchObject({ keys_left: 2, tokens_left: 0, sealed_left: 0 });
});

test("without the old pepper, used keys and encrypted values work, and a key that was never used does not", async () => {
  await serve({ SVC_KEY_PEPPER: NEW, SVC_ACCEPT_UNCHECKED_KEYS: "true" });
  for (const key of [made.owner, made.used, made.late, made.graced, made.minted]) {
    expect(await statusWith(key)).toBe(200);
  }
  expect(await statusWith(made.unused)).toBe(401);
  await pinged();
  expect(await decided("a later request")).toBe(made.laterHold);
  expect([await isWhole(), await isWhole(made.quietId)]).toEqual([true, true]);
});

test("keys whose check cannot be verified are refused unless the setting says otherwise", async () => {
  await serve({ SVC_KEY_PEPPER: NEW });
  expect(await statusWith(made.minted)).toBe(200);
  expect(await statusWith(made.used)).toBe(401);
});
