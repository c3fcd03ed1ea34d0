import { describe, expect, test } from "vitest";
import { ATTEMPT_DELAYS_SECONDS, waitMs } from "../../../src/domain/webhook/delivery.ts";
import { arrivedAt, failing, hanging, newSubscriber, receivedAt, receiver } from "../../support/receivers.ts";

const ping = (id: string) => `/webhooks/${id}/test`;
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("an event", () => {
  test("reaches every webhook that subscribed to its kind, and no other", async () => {
    const org = await newSubscriber();
    const urls = [receiver(), receiver(), receiver()] as const;
    await org.subscribe(urls[0], ["key.*"]);
    await org.subscribe(urls[1], ["key.created", "budget.*"]);
    await org.subscribe(urls[2], ["budget.*"]);
    await org.mint("viewer");
    await org.settle();
    expect(urls.map((url) => receivedAt(url).map(({ event }) => event.type))).toEqual([
      ["key.created"],
      ["key.created"],
      [],
    ]);
    const [first] = receivedAt(urls[0]);
    expect(first?.event).toMatchObject({ org_id: org.id, data: { role: "viewer" } });
    expect(first?.event.id).toMatch(/^evt_/);
    expect(first?.headers.get("x-svc-event-id")).toBe(first?.event.id);
    expect(first?.headers.get("x-svc-delivery-id")).toMatch(/^dlv_/);
    expect(first?.headers.get("x-svc-delivery-attempt")).toBe("1");
    expect(first?.headers.get("content-type")).toBe("application/json");
  });

  test("of a refused change does not exist", async () => {
    const org = await newSubscriber();
    const url = receiver();
    await org.subscribe(url);
    expect((await org.ask("DELETE", "/keys/key_00000000000000000000000000")).status).toBe(404);
    await org.settle();
    expect(receivedAt(url)).toEqual([]);
  });
});

describe("a receiver that fails", () => {
  test.each(times(10))(
    "%i times gets the event at the times of the schedule, under one id",
    async (failures) => {
      const org = await newSubscriber();
      const url = receiver(failing(failures));
      const { id } = await org.subscribe(url);
      const delivery = (await org.ask("POST", ping(id))).body as { id: string };
      await org.settle();
      const waits = times(failures).map((index) => waitMs(delivery.id, index + 1, null) ?? 0);
      for (const wait of waits) await org.advance(Math.ceil(wait / 1000) + 1);
      const received = receivedAt(url);
      expect(received.map(({ headers }) => headers.get("x-svc-delivery-attempt"))).toEqual(
        times(failures + 1).map((index) => String(index + 1)),
      );
      expect(new Set(received.map(({ event }) => event.id)).size).toBe(1);
      expect(new Set(received.map(({ body }) => body)).size).toBe(1);
      const [logged] = await org.deliveries(id);
      expect(logged).toMatchObject({
        id: delivery.id,
        status: "succeeded",
        attempts: failures + 1,
        next_attempt_at: null,
      });
      const moments = logged?.attempt_log.map(({ at }) => Date.parse(at)) ?? [];
      expect(moments).toHaveLength(failures + 1);
      for (const [index, wait] of waits.entries()) {
        expect((moments[index + 1] ?? 0) - (moments[index] ?? 0)).toBeGreaterThanOrEqual(wait);
        expect(Math.abs(wait / 1000 / (ATTEMPT_DELAYS_SECONDS[index + 1] ?? 0) - 1)).toBeLessThanOrEqual(0.2);
      }
    },
  );

  test("ten times is disabled, announces it to the others, and keeps its queue", async () => {
    const org = await newSubscriber();
    const dead = receiver(failing(10));
    const other = receiver();
    const { id } = await org.subscribe(dead, ["key.*"]);
    await org.subscribe(other, ["webhook.*"]);
    await org.mint("viewer");
    await org.mint("developer");
    await org.settle();
    for (const seconds of ATTEMPT_DELAYS_SECONDS) await org.advance(Math.ceil(seconds * 1.2) + 1);
    expect(receivedAt(dead)).toHaveLength(10);
    expect((await org.ask("GET", `/webhooks/${id}`)).body).toMatchObject({
      status: "disabled",
      disabled_reason: "exhausted",
    });
    expect((await org.deliveries(id)).map(({ status }) => status)).toEqual(["failed", "pending"]);
    expect(receivedAt(other)[0]?.event).toMatchObject({
      type: "webhook.disabled",
      data: { webhook_id: id, reason: "exhausted" },
    });
    expect((await org.ask("POST", ping(id))).status).toBe(409);

    await org.mint("admin");
    expect((await org.ask("PATCH", `/webhooks/${id}`, { status: "enabled" })).status).toBe(200);
    await org.settle();
    expect(
      receivedAt(dead)
        .slice(10)
        .map(({ event }) => event.data),
    ).toMatchObject([{ role: "developer" }]);
  });

  test("with 410 is disabled at once", async () => {
    const org = await newSubscriber();
    const url = receiver(() => new Response("", { status: 410 }));
    const { id } = await org.subscribe(url);
    await org.ask("POST", ping(id));
    await org.settle();
    await org.advance(400_000);
    expect(receivedAt(url)).toHaveLength(1);
    expect((await org.ask("GET", `/webhooks/${id}`)).body).toMatchObject({ disabled_reason: "gone" });
  });

  test("is retried no sooner than it asks, up to twice the wait of the schedule", async () => {
    const org = await newSubscriber();
    const patient = receiver(failing(1, 429, { "retry-after": "9" }));
    const greedy = receiver(failing(1, 503, { "retry-after": "86400" }));
    const waited = async (url: string) => {
      const { id } = await org.subscribe(url);
      await org.ask("POST", ping(id));
      await org.settle();
      await org.advance(11);
      const [first, second] = (await org.deliveries(id))[0]?.attempt_log ?? [];
      return Date.parse(second?.at ?? "") - Date.parse(first?.at ?? "");
    };
    expect(await waited(patient)).toBeGreaterThanOrEqual(9000);
    expect(await waited(greedy)).toBeGreaterThanOrEqual(10_000);
  });

  test("is shown in the log with its response", async () => {
    const org = await newSubscriber();
    const { id } = await org.subscribe(receiver(() => new Response("not today", { status: 302 })));
    await org.ask("POST", ping(id));
    await org.settle();
    const [logged] = await org.deliveries(id);
    expect(logged).toMatchObject({ status: "pending", response_status: 302, error: null });
    expect(logged?.attempt_log.slice(0, 1)).toMatchObject([
      { attempt: 1, response_status: 302, response_excerpt: "not today" },
    ]);
    expect(logged?.latency_ms).toBeGreaterThanOrEqual(0);
    expect(Date.parse(logged?.next_attempt_at ?? "")).toBeGreaterThan(
      Date.parse(logged?.attempt_log[0]?.at ?? ""),
    );
  });
});

describe("one webhook's deliveries", () => {
  test("arrive in the order of their events, even after a failure", async () => {
    const org = await newSubscriber();
    const url = receiver(failing(1));
    const { id } = await org.subscribe(url, ["key.*"]);
    for (const role of ["viewer", "developer", "admin"]) await org.mint(role);
    await org.settle();
    await org.advance(7);
    const roles = receivedAt(url).map(({ event }) => (event.data as { role: string }).role);
    expect(roles).toEqual(["viewer", "viewer", "developer", "admin"]);
    expect((await org.deliveries(id)).map(({ status }) => status)).toEqual(Array(3).fill("succeeded"));
  });

  test("do not wait for another webhook's receiver", async () => {
    const org = await newSubscriber();
    const stuck = hanging();
    const slow = times(8).map(() => receiver(stuck.answer));
    const quick = receiver();
    for (const url of slow) await org.subscribe(url);
    await org.subscribe(quick);
    await org.mint("viewer");
    await arrivedAt(quick, 1);
    await org.mint("viewer");
    await arrivedAt(quick, 2);
    expect(slow.map((url) => receivedAt(url).length)).toEqual(slow.map(() => 1));
    stuck.release();
    await Promise.all(slow.map((url) => arrivedAt(url, 2)));
  });
});
