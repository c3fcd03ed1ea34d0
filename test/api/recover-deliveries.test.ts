import { expect, test } from "vitest";
import { newSubscriber, receivedAt, receiver } from "../support/receivers.ts";
import { call } from "../support/worker.ts";

const START = "2020-01-01T00:00:00Z";

test("what failed and what happened while a webhook was disabled is delivered once, on request", async () => {
  const org = await newSubscriber();
  let status = 410;
  const url = receiver(() => new Response("said", { status }));
  const { id } = await org.subscribe(url, ["key.*"]);
  const recover = (since: string) => org.ask("POST", `/webhooks/${id}/recover`, { since });
  await org.mint("viewer");
  await org.settle();
  expect((await org.ask("GET", `/webhooks/${id}`)).body).toMatchObject({
    status: "disabled",
    disabled_reason: "gone",
    failing: true,
  });
  await org.mint("viewer");
  expect((await recover(START)).body.error).toMatchObject({ code: "conflict" });
  status = 200;
  await org.ask("PATCH", `/webhooks/${id}`, { status: "enabled" });
  expect((await org.ask("GET", "/webhooks")).body.data).toMatchObject([{ id, failing: false }]);
  const before = receivedAt(url).length;
  const first = await recover(START);
  expect([first.status, first.body]).toEqual([200, { queued: 2, next_since: null }]);
  // Those that are queued are not queued again.
  expect((await recover(START)).body.queued).toBe(0);
  await org.settle();
  const arrived = receivedAt(url).slice(before);
  expect(arrived.map(({ event }) => event.type)).toEqual(["key.created", "key.created"]);
  expect((await recover(START)).body.queued).toBe(0);
  const later = new Date(Date.now() + 86_400_000).toISOString();
  expect((await recover(later)).body).toEqual({ queued: 0, next_since: null });
});

test("a recovery leaves out other kinds and tests of other webhooks, and is for admins", async () => {
  const org = await newSubscriber();
  const url = receiver();
  await org.mint("viewer");
  const other = await org.subscribe(receiver(), ["*"]);
  await org.ask("POST", `/webhooks/${other.id}/test`);
  const { id } = await org.subscribe(url, ["support.*", "test.*"]);
  const path = `/v1/orgs/${org.id}/webhooks/${id}/recover`;
  expect((await org.ask("POST", `/webhooks/${id}/recover`, { since: START })).body.queued).toBe(0);
  const developer = await org.mint("developer");
  expect((await call("POST", path, { key: developer, body: { since: START } })).status).toBe(403);
  const wrong = await org.ask("POST", `/webhooks/${id}/recover`, { since: "yesterday" });
  expect(wrong.body.error.details.fields).toMatchObject([{ field: "since", code: "invalid_format" }]);
});

test("a webhook whose next delivery has failed is listed as failing, under the same ETag", async () => {
  const org = await newSubscriber();
  let status = 500;
  const { id } = await org.subscribe(
    receiver(() => new Response("said", { status })),
    ["key.*"],
  );
  const healthy = await org.ask("GET", `/webhooks/${id}`);
  expect(healthy.body.failing).toBe(false);
  await org.mint("viewer");
  await org.settle();
  const failing = await org.ask("GET", `/webhooks/${id}`);
  expect(failing.body).toMatchObject({ status: "enabled", failing: true });
  expect(failing.headers.get("etag")).toBe(healthy.headers.get("etag"));
  status = 200;
  await org.advance(3600);
  expect((await org.ask("GET", `/webhooks/${id}`)).body.failing).toBe(false);
});
