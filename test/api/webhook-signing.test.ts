import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { fieldsOf, newSubscriber, receivedAt, receiver, type Subscriber } from "../support/receivers.ts";
import { call, newOrg, operatorKey } from "../support/worker.ts";

const secretPath = (org: Subscriber) => `/v1/admin/orgs/${org.id}/webhook-secret`;
const rotateOrgSecret = (org: Subscriber, key = org.ownerKey) =>
  call("POST", `${secretPath(org)}/rotate`, { key });

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

  test("moves to v2 with the first rotation, and the org's secret can then no longer be rotated", async () => {
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

  test("ends every old secret immediately without a grace period", async () => {
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

  test("returns a secret once and stores it encrypted", async () => {
    const org = await newSubscriber();
    const { id, secret = "?" } = await org.subscribe(receiver());
    for (const path of ["/webhooks", `/webhooks/${id}`, `/webhooks/${id}/signing`, "/audit-log", "/events"]) {
      expect((await org.ask("GET", path)).text).not.toContain(secret);
    }
  });

  test("of the org is only for its admins and the operator", async () => {
    const org = await newSubscriber();
    const stranger = await newOrg();
    expect((await rotateOrgSecret(org, await org.mint("developer"))).status).toBe(403);
    expect((await rotateOrgSecret(org, stranger.ownerKey)).status).toBe(404);
    expect((await rotateOrgSecret(org, operatorKey())).status).toBe(200);
  });
});
