import { createHmac, randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, test } from "vitest";
import {
  SECRET_BYTES,
  signatureHeaders,
  type Signing,
  webhookSecret,
} from "../../../src/domain/webhook/signature.ts";

const stripe = new Stripe("sk_test_unused");
const eventId = "evt_01J00000000000000000000000";
const mint = () => webhookSecret(randomBytes(SECRET_BYTES));

type Headers = ReturnType<typeof signatureHeaders>;
type Verifier = (body: string, headers: Headers, secret: string) => void;

/** The three packages from npm, each with the secret exactly as this API shows it. */
const verifiers: Record<string, Verifier> = {
  stripe: (body, headers, secret) =>
    void stripe.webhooks.constructEvent(body, headers["x-svc-signature"], secret),
  svix: (body, headers, secret) => new SvixWebhook(secret).verify(body, { ...headers }),
  standardwebhooks: (body, headers, secret) => void new StandardWebhook(secret).verify(body, { ...headers }),
};

const sign = (secrets: Signing["secrets"], body: string, sentAtMs = Date.now()) =>
  signatureHeaders({ scheme: "v2", secrets }, { eventId, body, sentAtMs });

describe.each(Object.entries(verifiers))("the verifier of %s", (_name, verify) => {
  test("accepts every v2 delivery, whatever its text", () => {
    fc.assert(
      fc.property(fc.json(), fc.uint8Array({ minLength: 36, maxLength: 36 }), (data, random) => {
        const body = `{"id":"${eventId}","data":${data}}`;
        const secret = webhookSecret(random);
        expect(() => verify(body, sign([secret], body), secret)).not.toThrow();
      }),
    );
  });

  test("accepts both secrets during a grace, and only the new one after it", () => {
    const [fresh, old] = [mint(), mint()];
    const during = sign([fresh, old], "{}");
    expect(() => verify("{}", during, fresh)).not.toThrow();
    expect(() => verify("{}", during, old)).not.toThrow();
    expect(() => verify("{}", sign([fresh], "{}"), old)).toThrow(/signature/i);
  });

  test("refuses a changed byte, another secret and an old delivery", () => {
    const secret = mint();
    const body = '{"amount":"1.00"}';
    expect(() => verify('{"amount":"9.00"}', sign([secret], body), secret)).toThrow(/signature/i);
    expect(() => verify(body, sign([secret], body), mint())).toThrow(/signature/i);
    const late = sign([secret], body, Date.now() - 301_000);
    expect(() => verify(body, late, secret)).toThrow(/old|tolerance/i);
  });

  test("refuses a delivery whose time was changed", () => {
    const secret = mint();
    const signed = sign([secret], "{}", Date.now() - 60_000);
    const now = Math.floor(Date.now() / 1000);
    const forged = {
      ...signed,
      "webhook-timestamp": String(now),
      "x-svc-signature": signed["x-svc-signature"].replace(/^t=\d+/, `t=${now}`),
    };
    expect(() => verify("{}", forged, secret)).toThrow(/signature/i);
  });
});

describe("v1", () => {
  test("is the hex HMAC of the raw body with the org's secret, and is labelled v1", () => {
    const secret = mint();
    const body = '{"id":"évt"}';
    const headers = signatureHeaders({ scheme: "v1", secrets: [secret] }, { eventId, body, sentAtMs: 0 });
    expect(headers["x-svc-signature"]).toBe(
      `v1=${createHmac("sha256", secret).update(body, "utf8").digest("hex")}`,
    );
    expect(headers["x-svc-event-version"]).toBe("1");
  });

  test.each(["svix", "standardwebhooks"])("is still verified by %s through the standard headers", (name) => {
    const secret = mint();
    const message = { eventId, body: "{}", sentAtMs: Date.now() };
    const headers = signatureHeaders({ scheme: "v1", secrets: [secret] }, message);
    expect(() => verifiers[name]?.("{}", headers, secret)).not.toThrow();
    expect(() => verifiers[name]?.("{}", headers, mint())).toThrow(/signature/i);
  });
});

test("stripe's verifier refuses a v1 delivery: its header has no time", () => {
  const secret = mint();
  const message = { eventId, body: "{}", sentAtMs: Date.now() };
  const headers = signatureHeaders({ scheme: "v1", secrets: [secret] }, message);
  expect(() => verifiers["stripe"]?.("{}", headers, secret)).toThrow(/timestamp/i);
});

describe("v2", () => {
  test("is the time and one signature of time and body for each live secret", () => {
    const secrets = [mint(), mint()] as const;
    const headers = sign(secrets, "{}", 1_800_000_000_999);
    const expected = secrets.map(
      (secret) => `v1=${createHmac("sha256", secret).update("1800000000.{}").digest("hex")}`,
    );
    expect(headers["x-svc-signature"]).toBe(`t=1800000000,${expected.join(",")}`);
    expect(headers["x-svc-event-version"]).toBe("2");
    expect(headers["webhook-id"]).toBe(eventId);
    expect(headers["webhook-timestamp"]).toBe("1800000000");
  });

  test("a secret has no padding and names its kind", () => {
    expect(mint()).toMatch(/^whsec_[A-Za-z0-9+/]{48}$/);
  });
});
