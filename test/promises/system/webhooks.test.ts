import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Server, startServer } from "../../../scripts/server.ts";
import { makeFolder } from "../../support/folder.ts";
import { http } from "../../support/http.ts";
import { answerWith, type HttpReceiver, startReceiver } from "../../support/http-receiver.ts";

/** Webhooks over real sockets: a served Worker on one side, receivers of every kind on the other. */

const folder = makeFolder();
let server: Server;
let operator: string;

beforeAll(async () => {
  const settings = { SVC_WEBHOOK_ALLOW_PRIVATE: "true" };
  server = await startServer({ port: 0, dataDir: folder.path, settings });
  operator = server.settings["SVC_OPERATOR_KEY"] ?? "";
});
afterAll(async () => {
  await server.dispose();
  folder.remove();
});

const ask = (method: string, path: string, body?: object) =>
  http(method, server.urls[0] + path, { key: operator, ...(body && { body }) });

async function receiving(answer?: HttpReceiver["answer"]): Promise<HttpReceiver> {
  const receiver = await startReceiver(answer);
  onTestFinished(() => receiver.close());
  return receiver;
}

async function newOrg(environment: "live" | "test" = "test") {
  const made = await ask("POST", "/v1/admin/orgs", { name: "Acme", environment });
  const id = made.body.org.id as string;
  const path = `/v1/orgs/${id}`;
  return {
    id,
    path,
    subscribe: async ({ url }: HttpReceiver) => {
      const hook = await ask("POST", `${path}/webhooks`, { url, events: ["*"] });
      expect(hook.status).toBe(201);
      return hook.body as { id: string; secret: string };
    },
    ping: async (hook: { id: string }) =>
      (await ask("POST", `${path}/webhooks/${hook.id}/test`)).body.event_id as string,
    advance: (seconds: number) =>
      ask("POST", `/v1/admin/orgs/${id}/test-clock`, { advance_seconds: seconds }),
    delivery: async (hook: { id: string }) =>
      (await ask("GET", `${path}/webhooks/${hook.id}/deliveries`)).body.data[0],
  };
}

describe("a delivery", () => {
  const stripe = new Stripe("sk_test_unused");
  type Verify = (body: string, headers: Record<string, string>, secret: string) => unknown;
  const verifiers: Record<string, Verify> = {
    stripe: (body, headers, secret) =>
      stripe.webhooks.constructEvent(body, headers["x-svc-signature"] ?? "", secret),
    svix: (body, headers, secret) => new SvixWebhook(secret).verify(body, headers),
    standardwebhooks: (body, headers, secret) => new StandardWebhook(secret).verify(body, headers),
  };

  test("is sent automatically and is accepted by Stripe's, Svix's and the standard's verifiers, and by none if forged", async () => {
    const org = await newOrg("live");
    const receiver = await receiving();
    const { secret, id } = await org.subscribe(receiver);
    await org.ping({ id });
    await expect.poll(() => receiver.arrived.length).toBe(1);
    const [{ body, headers } = { body: "", headers: {} }] = receiver.arrived;
    const flipped = body.replace("test.ping", "test.pinG");
    const stale = { ...headers, "webhook-timestamp": "1700000000" };
    for (const verify of Object.values(verifiers)) {
      expect(() => verify(body, headers, secret)).not.toThrow();
      expect(() => verify(flipped, headers, secret)).toThrow();
      expect(() =>
        verify(body, headers, `${secret.slice(0, -1)}${secret.endsWith("A") ? "B" : "A"}`),
      ).toThrow();
    }
    expect(() => verifiers["svix"]?.(body, stale, secret)).toThrow();
  });

  test("is signed with the real time even if the org's clock is years ahead", async () => {
    const org = await newOrg();
    const receiver = await receiving();
    const hook = await org.subscribe(receiver);
    await org.advance(100_000_000);
    await org.ping(hook);
    await org.advance(1);
    const [{ body, headers } = { body: "", headers: {} }] = receiver.arrived;
    for (const verify of Object.values(verifiers)) {
      expect(() => verify(body, headers, hook.secret)).not.toThrow();
    }
  });
});

describe("a receiver that", () => {
  test("redirects is not followed", async () => {
    const org = await newOrg();
    const inside = await receiving();
    const receiver = await receiving(answerWith(307, { location: inside.url }));
    const hook = await org.subscribe(receiver);
    await org.ping(hook);
    await org.advance(1);
    expect(receiver.arrived).not.toHaveLength(0);
    expect(inside.arrived).toHaveLength(0);
    expect(await org.delivery(hook)).toMatchObject({ status: "pending", response_status: 307 });
  });

  test("resets or refuses the connection is tried again", async () => {
    const org = await newOrg();
    const receiver = await receiving((_response, _nth, request) => request.socket.resetAndDestroy());
    const hook = await org.subscribe(receiver);
    await org.ping(hook);
    await org.advance(1);
    expect(await org.delivery(hook)).toMatchObject({
      status: "pending",
      response_status: null,
      error: "connection_failed",
    });
    receiver.answer = answerWith(200);
    await org.advance(3000);
    expect(await org.delivery(hook)).toMatchObject({ status: "succeeded" });
  });

  test("responds with a gigabyte is read only as far as needed", async () => {
    const org = await newOrg();
    const receiver = await receiving((response) => {
      const chunk = Buffer.alloc(1 << 20, "x");
      let left = 1024;
      const more = () => {
        while (left-- > 0 && response.write(chunk));
        if (left > 0) response.once("drain", more);
        else response.end();
      };
      response.writeHead(200);
      more();
    });
    const hook = await org.subscribe(receiver);
    await org.ping(hook);
    await org.advance(1);
    const logged = await org.delivery(hook);
    expect(logged).toMatchObject({ status: "succeeded" });
    expect(logged.attempt_log[0].response_excerpt).toHaveLength(4096);
    await expect.poll(() => receiver.written()).toBeGreaterThan(0);
    expect(receiver.written()).toBeLessThan(64 << 20);
  });

  test("hangs is given up after fifteen seconds, and delays no other", async () => {
    const org = await newOrg();
    const stuck = await receiving(() => undefined);
    const quick = await receiving();
    const hook = await org.subscribe(stuck);
    await org.subscribe(quick);
    await ask("POST", `${org.path}/keys`, { name: "k", role: "viewer" });
    await expect.poll(() => stuck.arrived.length).toBe(1);
    await ask("POST", `${org.path}/keys`, { name: "k", role: "viewer" });
    await expect.poll(() => quick.arrived.length).toBe(2);
    expect((await org.delivery(hook)).attempts).toBe(0);
    const first = async () =>
      (await ask("GET", `${org.path}/webhooks/${hook.id}/deliveries?sort=created_at`)).body.data[0];
    await expect.poll(async () => (await first()).attempts, { interval: 500 }).toBe(1);
    const logged = await first();
    expect(logged).toMatchObject({ status: "pending", error: "timeout" });
    expect(logged.latency_ms).toBeGreaterThanOrEqual(15_000);
  });

  test("responds with 410 gets nothing more", async () => {
    const org = await newOrg();
    const receiver = await receiving(answerWith(410));
    const hook = await org.subscribe(receiver);
    await org.ping(hook);
    await org.advance(100_000);
    expect(receiver.arrived).toHaveLength(1);
    expect((await ask("GET", `${org.path}/webhooks/${hook.id}`)).body).toMatchObject({
      disabled_reason: "gone",
    });
  });

  test("was called when the runtime was killed is called again", async () => {
    const org = await newOrg();
    const receiver = await receiving(() => undefined);
    const hook = await org.subscribe(receiver);
    const events = [await org.ping(hook), await org.ping(hook)];
    await expect.poll(() => receiver.arrived.length).toBe(1);
    await server.crash();
    receiver.answer = answerWith(200);
    await org.advance(31);
    await server.evict(org.id);
    await org.advance(31);
    expect(receiver.arrived.map(({ event }) => event.id)).toEqual([events[0], ...events]);
  });
});
