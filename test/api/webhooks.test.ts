import { describe, expect, test } from "vitest";
import { EVENT_KINDS } from "../../src/contract/event-kinds.ts";
import { failing, fieldsOf, newSubscriber, receivedAt, receiver } from "../support/receivers.ts";
import { call, newOrg } from "../support/worker.ts";

describe("a webhook", () => {
  test("is created with its own secret, read, listed, changed and deleted", async () => {
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
    [{}, ["events", "url"]],
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

  test("is invisible to other orgs and read-only for a developer", async () => {
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

  test("created twice with one idempotency key is one webhook with one secret", async () => {
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

  test("is changed only if its ETag still matches", async () => {
    const org = await newSubscriber();
    const { id } = await org.subscribe(receiver());
    const path = `/v1/orgs/${org.id}/webhooks/${id}`;
    const etag = (await org.ask("GET", `/webhooks/${id}`)).headers.get("etag") ?? "";
    const patch = (description: string) =>
      call("PATCH", path, { key: org.ownerKey, headers: { "if-match": etag }, body: { description } });
    expect((await patch("first")).status).toBe(200);
    expect((await patch("second")).body.error.code).toBe("conflict");
  });

  test("is limited to fifty per org", async () => {
    const org = await newSubscriber();
    const url = receiver();
    for (let i = 0; i < 50; i++) await org.subscribe(url);
    expect((await org.ask("POST", "/webhooks", { url, events: ["*"] })).body.error.code).toBe("conflict");
  });
});

describe("a replay", () => {
  test("of a finished delivery is a new delivery of the same event", async () => {
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

  test("of a pending delivery attempts it now, without a duplicate", async () => {
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

  test("is refused for an unknown delivery and while the webhook is disabled", async () => {
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

  test("refuses unknown event kinds", async () => {
    const org = await newSubscriber();
    await org.mint("viewer");
    const { data } = (await org.ask("GET", "/events")).body as { data: { type: string }[] };
    expect(data.every(({ type }) => (EVENT_KINDS as readonly string[]).includes(type))).toBe(true);
  });
});
