import { describe, expect, test } from "vitest";
import { webhooks } from "../../src/client/index.ts";
import { verify, WebhookError } from "../../src/client/webhooks.ts";
import { signatureHeaders, webhookSecret } from "../../src/domain/webhook/signature.ts";

const seconds = 1_800_000_000;
const now = seconds * 1000;
const event = { id: "evt_1", type: "test.ping", created_at: "", org_id: "org_1", data: { note: "é" } };
const body = JSON.stringify(event);
const [secret, other] = [webhookSecret(Buffer.alloc(36, 1)), webhookSecret(Buffer.alloc(36, 2))];

function signed(scheme: "v1" | "v2", ...secrets: [string, ...string[]]): Record<string, string> {
  return signatureHeaders({ scheme, secrets }, { eventId: "evt_1", body, sentAtMs: now });
}
const withSignature = (text: string) => ({ "x-svc-signature": text });
const v2 = signed("v2", other, secret);
const v1 = signed("v1", secret);
const hex = v1["x-svc-signature"]?.slice(3) ?? "";

async function problemOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof WebhookError) return error.problem;
    throw error;
  }
  return "none";
}

describe("a delivery of ours", () => {
  test.each([
    ["version 2, either of two secrets", v2, secret],
    ["version 2, the newer of two secrets", v2, other],
    ["version 1", v1, secret],
    ["any of the receiver's secrets", v1, [other, secret]],
    ["headers as the platform has them", new Headers(v2), secret],
    ["headers in another case", { "X-Svc-Signature": v2["x-svc-signature"] }, secret],
    ["headers in a list", { "x-svc-signature": [v2["x-svc-signature"] ?? ""] }, secret],
  ])("is accepted: %s", async (_, headers, secrets) => {
    expect(await verify(body, headers, secrets, { now })).toEqual(event);
  });

  test("is accepted as bytes", async () => {
    const bytes = new TextEncoder().encode(body);
    expect(await verify(bytes, v2, secret, { now })).toEqual(event);
    expect(await verify(Uint8Array.from(bytes).buffer, v2, secret, { now })).toEqual(event);
  });

  test("is typed by its kind", async () => {
    const got = await verify(body, v2, secret, { now });
    const type: "test.ping" | null = got.type === "test.ping" ? got.type : null;
    expect(type).toBe("test.ping");
  });
});

describe("refused is", () => {
  test.each([
    ["another body", `${body} `, v2, secret, now, "no_match"],
    ["another body, version 1", `${body} `, v1, secret, now, "no_match"],
    ["another secret", body, v2, webhookSecret(Buffer.alloc(36, 3)), now, "no_match"],
    ["no secret at all", body, v2, [], now, "no_match"],
    ["an old one", body, v2, secret, now + 300_001, "too_old"],
    ["one from the future", body, v2, secret, now - 300_001, "too_new"],
    [
      "another time",
      body,
      withSignature(v2["x-svc-signature"]?.replace(/^t=\d+/, `t=${seconds + 1}`) ?? ""),
      secret,
      now,
      "no_match",
    ],
    [
      "a version 2 signature without its time",
      body,
      withSignature(v2["x-svc-signature"]?.replace(/^t=\d+,/, "") ?? ""),
      secret,
      now,
      "no_match",
    ],
    [
      "a version 1 signature with a time",
      body,
      withSignature(`t=${seconds},v1=${hex}`),
      secret,
      now,
      "no_match",
    ],
    ["no header", body, {}, secret, now, "missing_signature"],
    ["an empty header", body, withSignature(""), secret, now, "missing_signature"],
    ["a time alone", body, withSignature(`t=${seconds}`), secret, now, "malformed_signature"],
    ["a time that is no number", body, withSignature(`t=soon,v1=${hex}`), secret, now, "malformed_signature"],
    ["two times", body, withSignature(`t=${seconds},t=1,v1=${hex}`), secret, now, "malformed_signature"],
    ["a signature that is no digest", body, withSignature("v1=00"), secret, now, "malformed_signature"],
    [
      "more signatures than secrets ever live",
      body,
      withSignature(Array(21).fill(`v1=${hex}`).join(",")),
      secret,
      now,
      "malformed_signature",
    ],
  ])("%s", async (_, raw, headers, secrets, at, problem) => {
    expect(await problemOf(verify(raw, headers, secrets, { now: at }))).toBe(problem);
  });

  test("a body that was parsed, with a word on what to pass", async () => {
    await expect(verify(event as unknown as string, v2, secret, { now })).rejects.toThrow(
      /raw text or bytes/,
    );
  });

  test("a version that the receiver does not accept", async () => {
    expect(await problemOf(verify(body, v1, secret, { now, versions: [2] }))).toBe("wrong_version");
    expect(await problemOf(verify(body, v2, secret, { now, versions: [2] }))).toBe("none");
  });

  test("what is signed and is no JSON", async () => {
    const headers = signatureHeaders(
      { scheme: "v1", secrets: [secret] },
      { eventId: "e", body: "ping", sentAtMs: now },
    );
    expect(await problemOf(verify("ping", headers, secret, { now }))).toBe("malformed_body");
  });
});

test("the receiver says how old a delivery may be", async () => {
  expect(await problemOf(verify(body, v2, secret, { now: now + 9_000, toleranceSeconds: 10 }))).toBe("none");
  expect(await problemOf(verify(body, v2, secret, { now: now + 11_000, toleranceSeconds: 10 }))).toBe(
    "too_old",
  );
});

test("the client has it too, as webhooks.verify", async () => {
  expect(await webhooks.verify(body, v2, secret, { now })).toEqual(event);
  expect(await problemOf(webhooks.verify(`${body} `, v2, secret, { now }))).toBe("no_match");
});
