import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { EVENT_KINDS } from "../../src/contract/event-kinds.ts";
import { failing, newSubscriber, receivedAt, receiver, type Subscriber } from "../support/receivers.ts";
import { call, newOrg, operatorKey } from "../support/worker.ts";

const secretPath = (org: Subscriber) => `/v1/admin/orgs/${org.id}/webhook-secret`;
const rotateOrgSecret = (org: Subscriber, key = org.ownerKey) =>
  call("POST", `${secretPath(org)}/rotate`, { key });
const fieldsOf = (answer: { body: { error: { details: { fields: { field: string }[] } } } }) =>
  answer.body.error.details.fields.map(({ field }) => field);

describe("a webhook", () => {
  test("is created with a secret of its own, read, listed, changed and deleted", async () => {
    const org = await newSubscriber();
    const url = receiver();
    const made = await org.ask("POST", "/webhooks", { url, events: ["budget.*"], description: "costs" });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      url,
      events: ["budget.*"],
      description: "costs",
      status: "enabled",
      disabled_reason: null,
      signing_scheme: "v2",
      secret: expect.stringMatching(/^whsec_/),
    });
    const { id, secret: _, ...shown } = made.body as { id: string; secret: string };
    const path = `/webhooks/${id}`;
    const read = await org.ask("GET", path);
    expect(read.body).toEqual({ id, ...shown });
    expect(read.headers.get("etag")).toMatch(/^".+"$/);
    expect((await org.ask("GET", "/webhooks?status=enabled")).body.data).toEqual([{ id, ...shown }]);
    expect((await org.ask("GET", "/webhooks?status=disabled")).body.data).toEqual([]);
    const changed = await org.ask("PATCH", path, {
      events: ["run.*"],
      description: null,
      status: "disabled",
    });
    expect(changed.body).toMatchObject({
      events: ["run.*"],
      description: null,
      disabled_reason: "requested",
    });
    expect((await org.ask("DELETE", path)).status).toBe(204);
    for (const gone of [path, `${path}/signing`, `${path}/deliveries`]) {
      expect((await org.ask("GET", gone)).status).toBe(404);
    }
    expect((await org.ask("DELETE", path)).status).toBe(404);
    expect((await org.ask("PATCH", path, {})).status).toBe(404);
  });

  test.each([
    [{}, ["url", "events"]],
    [{ url: "not a url", events: ["*"] }, ["url"]],
    [{ url: "ftp://example.com/", events: ["*"] }, ["url"]],
    [{ url: "http://user:pass@example.com/", events: ["*"] }, ["url"]],
    [{ url: "", events: ["*"] }, ["url"]],
    [{ url: 7, events: "*" }, ["url", "events"]],
    [{ url: "http://example.com/", events: [] }, ["events"]],
    [{ url: "http://example.com/", events: ["budget.*", "nothing.*"] }, ["events[1]"]],
    [{ url: "http://example.com/", events: ["*"], secret: "mine" }, ["secret"]],
    [{ url: "http://example.com/", events: ["*"], description: "x".repeat(501) }, ["description"]],
  ])("is refused for %j", async (body, fields) => {
    const org = await newSubscriber();
    const refused = await org.ask("POST", "/webhooks", body);
    expect(refused.status).toBe(422);
    expect(fieldsOf(refused)).toEqual(fields);
  });

  test("is nobody else's business: another org sees nothing, a developer only looks", async () => {
    const org = await newSubscriber();
    const { id } = await org.subscribe(receiver());
    const stranger = await newOrg();
    const path = `/v1/orgs/${org.id}/webhooks/${id}`;
    expect((await call("GET", path, { key: stranger.ownerKey })).status).toBe(404);
    const other = `/v1/orgs/${stranger.id}/webhooks/${id}`;
    expect((await call("GET", other, { key: stranger.ownerKey })).status).toBe(404);
    const developer = await org.mint("developer");
    expect((await call("GET", path, { key: developer })).status).toBe(200);
    expect((await call("DELETE", path, { key: developer })).status).toBe(403);
    const scoped = await org.mint("admin", { scopes: ["webhooks:read"] });
    expect((await call("GET", path, { key: scoped })).status).toBe(200);
    const refused = await call("POST", `${path}/test`, { key: scoped });
    expect(refused.body.error).toMatchObject({
      code: "missing_scope",
      details: { required: "webhooks:write" },
    });
  });

  test("made twice under one idempotency key is one webhook with one secret", async () => {
    const org = await newSubscriber();
    const options = {
      key: org.ownerKey,
      headers: { "idempotency-key": "once" },
      body: { url: receiver(), events: ["*"] },
    };
    const answers = [];
    for (let i = 0; i < 2; i++) answers.push(await call("POST", `/v1/orgs/${org.id}/webhooks`, options));
    expect(answers[1]?.text).toBe(answers[0]?.text);
    expect(answers[1]?.headers.get("idempotent-replayed")).toBe("true");
    expect((await org.ask("GET", "/webhooks")).body.data).toHaveLength(1);
  });

  test("is changed only if it is still the one that was read", async () => {
    const org = await newSubscriber();
    const { id } = await org.subscribe(receiver());
    const path = `/v1/orgs/${org.id}/webhooks/${id}`;
    const etag = (await org.ask("GET", `/webhooks/${id}`)).headers.get("etag") ?? "";
    const patch = (description: string) =>
      call("PATCH", path, { key: org.ownerKey, headers: { "if-match": etag }, body: { description } });
    expect((await patch("first")).status).toBe(200);
    expect((await patch("second")).body.error.code).toBe("conflict");
  });

  test("is one of at most fifty", async () => {
    const org = await newSubscriber();
    const url = receiver();
    for (let i = 0; i < 50; i++) await org.subscribe(url);
    expect((await org.ask("POST", "/webhooks", { url, events: ["*"] })).body.error.code).toBe("conflict");
  });
});

describe("signing", () => {
  test("with the org's secret is v1: hex over the body, announced as deprecated", async () => {
    const org = await newSubscriber();
    expect((await call("GET", secretPath(org), { key: org.ownerKey })).status).toBe(404);
    const rotated = await rotateOrgSecret(org);
    expect(rotated.status).toBe(200);
    const { secret } = rotated.body as { secret: string };
    const url = receiver();
    const made = await org.subscribe(url);
    expect(made).not.toHaveProperty("secret");
    await org.ask("POST", `/webhooks/${made.id}/test`);
    await org.settle();
    const { headers, body } = receivedAt(url)[0] ?? { headers: new Headers(), body: "" };
    expect(headers.get("x-svc-signature")).toBe(
      `v1=${createHmac("sha256", secret).update(body).digest("hex")}`,
    );
    expect(headers.get("x-svc-event-version")).toBe("1");
    expect(headers.get("deprecation")).toBe("@1784678400");
    expect(headers.get("sunset")).toBe("Fri, 31 Dec 2027 23:59:59 GMT");
    expect(headers.get("link")).toMatch(/^<http.+>; rel="deprecation"$/);
    const shown = await call("GET", secretPath(org), { key: operatorKey() });
    expect(shown.body).toEqual({
      secret_last4: secret.slice(-4),
      created_at: expect.any(String),
      in_use_by: [made.id],
    });
    expect((await org.ask("GET", `/webhooks/${made.id}/signing`)).body).toEqual({
      scheme: "v1",
      secret_last4: secret.slice(-4),
      created_at: expect.any(String),
      previous_expires_at: null,
    });
  });

  test("moves to v2 with the first rotation, and the org's secret then rotates no more", async () => {
    const org = await newSubscriber();
    await rotateOrgSecret(org);
    const url = receiver();
    const { id } = await org.subscribe(url);
    expect((await rotateOrgSecret(org)).body).toMatchObject({ rotated: true });
    const rotated = await org.ask("POST", `/webhooks/${id}/signing/rotate`);
    expect(rotated.status).toBe(201);
    expect(rotated.body).toMatchObject({ scheme: "v2", previous_expires_at: null });
    await org.ask("POST", `/webhooks/${id}/test`);
    await org.settle();
    const { headers } = receivedAt(url)[0] ?? { headers: new Headers() };
    expect(headers.get("x-svc-signature")).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(headers.get("x-svc-event-version")).toBe("2");
    for (const name of ["deprecation", "sunset", "link"]) expect(headers.has(name)).toBe(false);
    const before = await call("GET", secretPath(org), { key: org.ownerKey });
    expect((await rotateOrgSecret(org)).body).toEqual({ rotated: false });
    expect((await call("GET", secretPath(org), { key: org.ownerKey })).text).toBe(before.text);
    expect(before.body.in_use_by).toEqual([]);
  });

  test("carries one signature for each live secret during a grace, and one after it", async () => {
    const org = await newSubscriber();
    const url = receiver();
    const { id, secret: old = "" } = await org.subscribe(url);
    const rotated = await org.ask("POST", `/webhooks/${id}/signing/rotate`, { grace_seconds: 60 });
    expect(Date.parse(rotated.body.previous_expires_at)).toBeGreaterThan(Date.now() + 50_000);
    const send = async () => {
      await org.ask("POST", `/webhooks/${id}/test`);
      await org.settle();
      const { headers, body } = receivedAt(url).at(-1) ?? { headers: new Headers(), body: "" };
      const [time, ...signatures] = (headers.get("x-svc-signature") ?? "").split(",");
      const signed = `${time?.slice(2)}.${body}`;
      const by = (secret: string) => `v1=${createHmac("sha256", secret).update(signed).digest("hex")}`;
      return { signatures, old: by(old), fresh: by(rotated.body.secret) };
    };
    const during = await send();
    expect(during.signatures).toEqual([during.fresh, during.old]);
    await org.advance(61);
    const after = await send();
    expect(after.signatures).toEqual([after.fresh]);
    expect((await org.ask("GET", `/webhooks/${id}/signing`)).body.previous_expires_at).toBeNull();
  });

  test("ends every old secret at once without a grace", async () => {
    const org = await newSubscriber();
    const url = receiver();
    const { id } = await org.subscribe(url);
    await org.ask("POST", `/webhooks/${id}/signing/rotate`);
    await org.ask("POST", `/webhooks/${id}/signing/rotate`, { grace_seconds: 0 });
    await org.ask("POST", `/webhooks/${id}/test`);
    await org.settle();
    expect(receivedAt(url)[0]?.headers.get("x-svc-signature")?.match(/v1=/g)).toHaveLength(1);
    const bad = await org.ask("POST", `/webhooks/${id}/signing/rotate`, { grace_seconds: 604_801 });
    expect(fieldsOf(bad)).toEqual(["grace_seconds"]);
  });

  test("shows a secret once and stores it sealed", async () => {
    const org = await newSubscriber();
    const { id, secret = "?" } = await org.subscribe(receiver());
    for (const path of ["/webhooks", `/webhooks/${id}`, `/webhooks/${id}/signing`, "/audit-log", "/events"]) {
      expect((await org.ask("GET", path)).text).not.toContain(secret);
    }
  });

  test("of the org is for its admins and the operator alone", async () => {
    const org = await newSubscriber();
    const stranger = await newOrg();
    expect((await rotateOrgSecret(org, await org.mint("developer"))).status).toBe(403);
    expect((await rotateOrgSecret(org, stranger.ownerKey)).status).toBe(404);
    expect((await rotateOrgSecret(org, operatorKey())).status).toBe(200);
  });
});

describe("a replay", () => {
  test("of an ended delivery is a new one of the same event", async () => {
    const org = await newSubscriber();
    const url = receiver();
    const { id } = await org.subscribe(url, ["key.*"]);
    await org.mint("viewer");
    await org.settle();
    const [first] = await org.deliveries(id);
    const replayed = await org.ask("POST", `/webhooks/${id}/deliveries/${first?.id}/replay`);
    expect(replayed.status).toBe(200);
    expect(replayed.body).toMatchObject({
      event_id: first?.event_id,
      replay_of: first?.id,
      status: "pending",
    });
    await org.settle();
    const [one, two] = receivedAt(url);
    expect(two?.body).toBe(one?.body);
    expect(two?.headers.get("x-svc-delivery-id")).toBe(replayed.body.id);
  });

  test("of a waiting delivery tries it now, and makes no second one", async () => {
    const org = await newSubscriber();
    const url = receiver(failing(2));
    const { id } = await org.subscribe(url);
    const { body } = await org.ask("POST", `/webhooks/${id}/test`);
    await org.settle();
    await org.advance(7);
    expect(receivedAt(url)).toHaveLength(2);
    expect((await org.ask("POST", `/webhooks/${id}/deliveries/${body.id}/replay`)).status).toBe(200);
    await org.settle();
    expect(receivedAt(url)).toHaveLength(3);
    expect(await org.deliveries(id)).toMatchObject([{ id: body.id, status: "succeeded", attempts: 3 }]);
  });

  test("is refused for what is not there and while the webhook is off", async () => {
    const org = await newSubscriber();
    const { id } = await org.subscribe(receiver());
    const { body } = await org.ask("POST", `/webhooks/${id}/test`);
    const missing = `/webhooks/${id}/deliveries/dlv_00000000000000000000000000/replay`;
    expect((await org.ask("POST", missing)).status).toBe(404);
    await org.ask("PATCH", `/webhooks/${id}`, { status: "disabled" });
    expect((await org.ask("POST", `/webhooks/${id}/deliveries/${body.id}/replay`)).status).toBe(409);
  });
});

describe("the event log", () => {
  test("holds everything in the order it happened, page by page", async () => {
    const org = await newSubscriber();
    for (let i = 0; i < 5; i++) await org.mint("viewer");
    const viewer = await org.mint("viewer");
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await call("GET", `/v1/orgs/${org.id}/events?sort=created_at&limit=2${cursor}`, {
        key: viewer,
      });
      expect(page.status).toBe(200);
      seen.push(...page.body.data.map((event: { data: { key_id: string } }) => event.data.key_id));
      cursor = page.body.next_cursor === null ? "" : `&cursor=${page.body.next_cursor}`;
    } while (cursor !== "");
    const keys = (await org.ask("GET", "/keys?sort=created_at")).body.data as { id: string }[];
    expect(seen).toEqual(keys.map(({ id }) => id));
  });

  test("is filtered by kind and by time", async () => {
    const org = await newSubscriber();
    await org.advance(86_400);
    const from = new Date(Date.now() + 86_000_000).toISOString();
    await org.mint("viewer");
    const list = async (query: string) =>
      (await org.ask("GET", `/events?${query}`)).body.data.length as number;
    expect(await list("type=key.created")).toBe(2);
    expect(await list("type=run.recorded")).toBe(0);
    expect(await list(`from=${from}`)).toBe(1);
    expect(await list(`to=${from}`)).toBe(1);
    for (const bad of [
      "type=nope",
      "from=yesterday",
      "kind=x",
      "from=2026-01-01&to=2026-06-01",
      "sort=type",
    ]) {
      expect((await org.ask("GET", `/events?${bad}`)).status).toBe(422);
    }
  });

  test("knows no kind but the published ones", async () => {
    const org = await newSubscriber();
    await org.mint("viewer");
    const { data } = (await org.ask("GET", "/events")).body as { data: { type: string }[] };
    expect(data.every(({ type }) => (EVENT_KINDS as readonly string[]).includes(type))).toBe(true);
  });
});
