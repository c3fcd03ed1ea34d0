import { describe, expect, test } from "vitest";
import {
  failing,
  fieldsOf,
  hanging,
  newSubscriber,
  receivedAt,
  receiver,
  type Subscriber,
} from "../support/receivers.ts";
import { aRun } from "../support/ledger.ts";
import { everythingStored, rowsOf } from "../support/rows.ts";
import { call } from "../support/worker.ts";

const PRODUCTS = ["slack", "teams", "discord"] as const;
const ROUTING_KEY = "0123456789abcdef0123456789abcdef";

async function subscribeAs(
  org: Subscriber,
  format: string,
  url: string,
  events: string[],
  more: object = {},
) {
  const made = await org.ask("POST", "/webhooks", { format, url, events, ...more });
  expect(`${made.status} ${made.text}`).toMatch(/^201 /);
  return made.body as { id: string; url: string; signing_scheme: string; format: string; secret?: string };
}

/** A receiver whose path is a secret. */
function secretReceiver(secret: string, answer?: Parameters<typeof receiver>[0]): string {
  return receiver(answer, `/services/${secret}`);
}

async function budgetOf(org: Subscriber, body: object): Promise<string> {
  const made = await org.ask("POST", "/budgets", { name: "Prod", period: "month", ...body });
  expect(`${made.status} ${made.text}`).toMatch(/^201 /);
  return (made.body as { id: string }).id;
}

const spend = (org: Subscriber, usd: string, fields: object = {}) =>
  call("POST", "/v1/runs", { key: org.ownerKey, body: aRun({ cost_usd: usd, ...fields }) });

describe("a webhook for a product", () => {
  test.each(PRODUCTS)("of %s gets a message with a link, unsigned", async (format) => {
    const org = await newSubscriber();
    const url = receiver();
    const made = await subscribeAs(org, format, url, ["key.*"]);
    expect(made).toMatchObject({ format, signing_scheme: "none" });
    expect(made.secret).toBeUndefined();
    await org.mint("viewer");
    await org.settle();
    const [letter] = receivedAt(url);
    expect(letter?.body).toContain("An API key was created");
    expect(letter?.body).toContain("/console/keys/");
    expect(letter?.headers.get("x-svc-signature")).toBeNull();
    expect(letter?.headers.get("webhook-signature")).toBeNull();
  });

  test("has an address that is never shown whole, not even in the database, audit log or delivery log", async () => {
    const org = await newSubscriber();
    const secret = "T0SECRETPATH9f8e7d6c5b4a";
    const url = secretReceiver(
      secret,
      () => new Response(`bad ${secret} at /services/${secret}`, { status: 400 }),
    );
    const { id, url: shown } = await subscribeAs(org, "slack", url, ["key.*"]);
    expect(shown).toMatch(/^http:\/\/receiver-\d+\.test\/…5b4a$/);
    const tested = await org.ask("POST", `/webhooks/${id}/test`);
    expect(tested.body).toMatchObject({ attempts: 1, response_status: 400 });
    expect(tested.body.attempt_log[0].response_excerpt).toContain("[secret]");
    await org.ask("PATCH", `/webhooks/${id}`, { url: url.replace("5b4a", "5b4b") });
    const told = [
      await org.ask("GET", `/webhooks/${id}`),
      await org.ask("GET", "/webhooks"),
      await org.ask("GET", `/webhooks/${id}/deliveries`),
      await org.ask("GET", "/events?limit=100"),
    ];
    expect(told.map(({ text }) => text).join()).not.toContain("T0SECRETPATH");
    expect(await everythingStored(org.id)).not.toContain("T0SECRETPATH");
    await org.ask("DELETE", `/webhooks/${id}`);
    expect(await everythingStored(org.id)).not.toContain("T0SECRETPATH");
  });

  test("says how the receiver answered a test", async () => {
    const org = await newSubscriber();
    const good = await subscribeAs(
      org,
      "slack",
      receiver(() => new Response("ok")),
      ["key.*"],
    );
    expect((await org.ask("POST", `/webhooks/${good.id}/test`)).body).toMatchObject({
      status: "succeeded",
      response_status: 200,
      attempt_log: [{ response_excerpt: "ok" }],
    });
    const bad = await subscribeAs(org, "discord", receiver(failing(9, 404)), ["key.*"]);
    expect((await org.ask("POST", `/webhooks/${bad.id}/test`)).body).toMatchObject({
      status: "pending",
      response_status: 404,
    });
    const held = hanging();
    const slow = await subscribeAs(org, "teams", receiver(held.answer), ["key.*"]);
    expect((await org.ask("POST", `/webhooks/${slow.id}/test`)).body).toMatchObject({
      attempts: 0,
      status: "pending",
    });
    held.release();
  });

  test("is tried again like any other, in order", async () => {
    const org = await newSubscriber();
    const url = receiver(failing(1));
    const { id } = await subscribeAs(org, "slack", url, ["key.created", "key.revoked"]);
    const minted = await org.ask("POST", "/keys", { name: "one", role: "viewer" });
    await org.ask("DELETE", `/keys/${minted.body.id}`);
    await org.settle();
    await org.advance(7);
    const bodies = receivedAt(url).map(({ body }) => body);
    expect(bodies).toHaveLength(3);
    expect(bodies[1]).toBe(bodies[0]);
    expect(bodies[1]).toContain("was created");
    expect(bodies[2]).toContain("was revoked");
    expect((await org.deliveries(id)).map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
  });

  test("cannot be given or asked for a signing secret", async () => {
    const org = await newSubscriber();
    const { id } = await subscribeAs(org, "slack", receiver(), ["*"]);
    expect((await org.ask("GET", `/webhooks/${id}/signing`)).status).toBe(404);
    expect((await org.ask("POST", `/webhooks/${id}/signing/rotate`, {})).status).toBe(409);
  });

  test.each([
    [{ format: "slack", events: ["*"] }, ["url"]],
    [{ format: "carrier-pigeon", url: "http://example.com/", events: ["*"] }, ["format"]],
    [{ format: "pagerduty", events: ["*"] }, ["routing_key"]],
    [{ format: "pagerduty", events: ["*"], routing_key: "short" }, ["routing_key"]],
    [
      { format: "slack", url: "http://example.com/", events: ["*"], routing_key: ROUTING_KEY },
      ["routing_key"],
    ],
    [{ url: "http://example.com/", events: ["*"], routing_key: ROUTING_KEY }, ["routing_key"]],
  ])("is refused for %j", async (body, fields) => {
    const org = await newSubscriber();
    const refused = await org.ask("POST", "/webhooks", body);
    expect(refused.status).toBe(422);
    expect(fieldsOf(refused)).toEqual(fields);
  });

  test("takes back what it shows of its address, and nothing else that is not whole", async () => {
    const org = await newSubscriber();
    const url = secretReceiver("T0SECRETPATH2");
    const { id, url: shown } = await subscribeAs(org, "slack", url, ["key.*"]);
    const path = `/webhooks/${id}`;
    expect((await org.ask("PATCH", path, { url: shown, description: "x" })).body).toMatchObject({
      url: shown,
    });
    expect(fieldsOf(await org.ask("PATCH", path, { url: shown.replace(/....$/, "abcd") }))).toEqual(["url"]);
    expect(fieldsOf(await org.ask("PATCH", path, { url: "mailto:a@example.com" }))).toEqual(["url"]);
    await org.mint("viewer");
    await org.settle();
    expect(receivedAt(url)).toHaveLength(1);
  });

  test("changes its format only with a new address, so that no secret is shown by another one", async () => {
    const org = await newSubscriber();
    const { id } = await subscribeAs(org, "slack", secretReceiver("T0SECRETPATH1"), ["key.*"]);
    const path = `/webhooks/${id}`;
    expect(fieldsOf(await org.ask("PATCH", path, { format: "sluice" }))).toEqual(["url"]);
    expect(fieldsOf(await org.ask("PATCH", path, { format: "pagerduty" }))).toEqual(["routing_key"]);
    expect(fieldsOf(await org.ask("PATCH", path, { routing_key: ROUTING_KEY }))).toEqual(["routing_key"]);
    const url = receiver();
    const changed = await org.ask("PATCH", path, { format: "sluice", url });
    expect(changed.body).toMatchObject({ format: "sluice", url, signing_scheme: "v2" });
    await org.mint("viewer");
    await org.settle();
    expect(receivedAt(url)[0]?.headers.get("x-svc-signature")).toMatch(/^t=/);
    expect(receivedAt(url)[0]?.event.type).toBe("key.created");
  });
});

describe("a storm", () => {
  test("of counters of one limit is one message, which says how many", async () => {
    const org = await newSubscriber();
    const held = hanging();
    const url = receiver(held.answer);
    const plain = receiver();
    const { id } = await subscribeAs(org, "slack", url, ["budget.exceeded", "test.ping"]);
    const ours = await org.subscribe(plain, ["budget.exceeded"]);
    // The first in the queue hangs, so that the storm waits behind it.
    const first = org.ask("POST", `/webhooks/${id}/test`);
    await budgetOf(org, { match: {}, group_by: ["user_id"], limit_usd: "0.001" });
    for (let user = 0; user < 12; user += 1) await spend(org, "1", { user_id: `u${user}` });
    held.release();
    await first;
    const areSent = async () => (await org.deliveries(ours.id)).every(({ status }) => status === "succeeded");
    await expect.poll(areSent).toBe(true);
    await org.settle();
    expect(receivedAt(plain)).toHaveLength(12);
    expect(receivedAt(url)).toHaveLength(2);
    expect(receivedAt(url)[1]?.body).toContain("More like this: 11");
    await spend(org, "1", { user_id: "one-more" });
    await org.settle();
    expect(receivedAt(url)).toHaveLength(2);
    // What was folded has not been missed.
    const recovered = await org.ask("POST", `/webhooks/${id}/recover`, { since: "2020-01-01T00:00:00Z" });
    expect(recovered.status).toBe(200);
    await org.settle();
    expect(receivedAt(url)).toHaveLength(2);
  });

  test("whose message nobody got is heard of once the webhook works again", async () => {
    const org = await newSubscriber();
    const url = receiver(failing(1, 410));
    const { id } = await subscribeAs(org, "slack", url, ["budget.exceeded"]);
    await budgetOf(org, { match: {}, group_by: ["user_id"], limit_usd: "0.001" });
    await spend(org, "1", { user_id: "u1" });
    await org.settle();
    expect((await org.deliveries(id)).map(({ status }) => status)).toEqual(["failed"]);
    expect((await org.ask("PATCH", `/webhooks/${id}`, { status: "enabled" })).status).toBe(200);
    await spend(org, "1", { user_id: "u2" });
    await org.settle();
    expect((await org.deliveries(id)).map(({ status }) => status)).toEqual(["failed", "succeeded"]);
    expect(receivedAt(url)).toHaveLength(2);
  });

  test("that goes on while its message is tried again does not change what is tried", async () => {
    const org = await newSubscriber();
    const url = receiver(failing(1));
    const { id } = await subscribeAs(org, "slack", url, ["budget.exceeded"]);
    await budgetOf(org, { match: {}, group_by: ["user_id"], limit_usd: "0.001" });
    await spend(org, "1", { user_id: "u1" });
    await org.settle();
    await spend(org, "1", { user_id: "u2" });
    await org.advance(7);
    const [one, again] = receivedAt(url).map(({ body }) => body);
    expect([receivedAt(url).length, again]).toEqual([2, one]);
    expect((await org.deliveries(id)).map(({ status }) => status)).toEqual(["succeeded"]);
  });

  test("does not fold away a warning that a receiver may have got already", async () => {
    const org = await newSubscriber();
    const url = receiver(failing(1));
    const { id } = await subscribeAs(org, "discord", url, ["budget.*"]);
    await budgetOf(org, { match: {}, limit_usd: "10", alert_thresholds: ["0.5", "0.8"] });
    await spend(org, "5");
    await org.settle();
    await spend(org, "3");
    await org.advance(7);
    expect(receivedAt(url).map(({ body }) => /has reached (\d+) %/.exec(body)?.[1])).toEqual([
      "50",
      "50",
      "80",
    ]);
    expect((await org.deliveries(id)).map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
  });

  test("of thresholds that are passed at once is the last of them", async () => {
    const org = await newSubscriber();
    const url = receiver();
    const { id } = await subscribeAs(org, "discord", url, ["budget.*"]);
    await budgetOf(org, { match: {}, limit_usd: "10", alert_thresholds: ["0.5", "0.8", "1"] });
    await spend(org, "10");
    await org.settle();
    expect(receivedAt(url)).toHaveLength(1);
    expect(receivedAt(url)[0]?.body).toContain("has reached 100 %");
    const statuses = (await org.deliveries(id)).map(({ status }) => status);
    expect(statuses).toEqual(["folded", "folded", "succeeded"]);
  });

  test("of thresholds that are passed one after another is one message each, and what was sent stays so", async () => {
    const org = await newSubscriber();
    const url = receiver();
    const { id } = await subscribeAs(org, "discord", url, ["budget.*"]);
    await budgetOf(org, { match: {}, limit_usd: "10", alert_thresholds: ["0.5", "0.8"] });
    for (const usd of ["5", "3"]) {
      await spend(org, usd);
      await org.settle();
    }
    expect(receivedAt(url)).toHaveLength(2);
    const statuses = (await org.deliveries(id)).map(({ status }) => status);
    expect(statuses).toEqual(["succeeded", "succeeded"]);
  });
});

describe("PagerDuty", () => {
  const actions = (url: string) =>
    receivedAt(url).map(({ body }) => {
      const {
        event_action: action,
        dedup_key: key,
        routing_key: routing,
      } = JSON.parse(body) as Record<string, string>;
      return { action, key, routing };
    });

  test("is told once about a limit, and that it is over when the window ends", async () => {
    const org = await newSubscriber();
    const url = receiver();
    const made = await subscribeAs(org, "pagerduty", url, ["budget.exceeded"], { routing_key: ROUTING_KEY });
    expect(made.url).toMatch(/…cdef$/);
    const budget = await budgetOf(org, { match: {}, limit_usd: "1", period: "day" });
    await spend(org, "5");
    await spend(org, "5");
    await org.settle();
    const key = `sluice/${org.id}/${budget}`;
    expect(actions(url)).toEqual([{ action: "trigger", key, routing: ROUTING_KEY }]);
    await org.advance(86_400);
    await org.settle();
    expect(actions(url).slice(1)).toEqual([{ action: "resolve", key, routing: ROUTING_KEY }]);
    expect(await rowsOf(org.id, "SELECT * FROM webhook_incidents")).toEqual([]);
  });

  test("is told that it is over when the limit is raised, and not before", async () => {
    const org = await newSubscriber();
    const url = receiver();
    await subscribeAs(org, "pagerduty", url, ["budget.exceeded"], { routing_key: ROUTING_KEY });
    const budget = await budgetOf(org, { match: {}, limit_usd: "1" });
    await spend(org, "5");
    await org.advance(700);
    expect(actions(url).map(({ action }) => action)).toEqual(["trigger"]);
    await org.ask("PATCH", `/budgets/${budget}`, { limit_usd: "100" });
    await org.advance(700);
    await org.settle();
    expect(actions(url).map(({ action }) => action)).toEqual(["trigger", "resolve"]);
  });

  test("forgets incidents with the webhook", async () => {
    const org = await newSubscriber();
    const { id } = await subscribeAs(org, "pagerduty", receiver(), ["budget.exceeded"], {
      routing_key: ROUTING_KEY,
    });
    await budgetOf(org, { match: {}, limit_usd: "1" });
    await spend(org, "5");
    expect(await rowsOf(org.id, "SELECT * FROM webhook_incidents")).toHaveLength(1);
    await org.ask("DELETE", `/webhooks/${id}`);
    expect(await rowsOf(org.id, "SELECT * FROM webhook_incidents")).toEqual([]);
    expect(await rowsOf(org.id, "SELECT * FROM due WHERE kind = 'webhook-incidents'")).toEqual([]);
  });
});
