import { createHmac } from "node:crypto";

const SECRET_PREFIX = "whsec_";
/** A multiple of three, so that the base64 has no padding, and within the 24 to 64 bytes of the standard. */
export const SECRET_BYTES = 36;

/**
 * A secret that works in every verifier: Stripe's uses the whole text as the key; Svix's and the standard's use the
 * decoded part after `whsec_`.
 */
export function webhookSecret(random: Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(random).toString("base64");
}

/** `v1` signs the body alone with the org's secret. `v2` signs time and body with a subscription's own secret. */
type SigningScheme = "v1" | "v2";

export interface Signing {
  readonly scheme: SigningScheme;
  /** The valid secrets, newest first. More than one during a grace period. */
  readonly secrets: readonly [string, ...string[]];
}

interface Message {
  readonly eventId: string;
  readonly body: string;
  readonly sentAtMs: number;
}

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text);

function ownSignature({ scheme, secrets }: Signing, seconds: number, body: string): string {
  if (scheme === "v1") return `v1=${hmac(secrets[0], body).digest("hex")}`;
  const signatures = secrets.map((secret) => `v1=${hmac(secret, `${seconds}.${body}`).digest("hex")}`);
  return [`t=${seconds}`, ...signatures].join(",");
}

function standardSignature(secret: string, signed: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  return `v1,${hmac(key, signed).digest("base64")}`;
}

/** The headers that prove where a delivery comes from, in this API's form and in the Standard Webhooks form. */
export function signatureHeaders(signing: Signing, { eventId, body, sentAtMs }: Message) {
  const seconds = Math.floor(sentAtMs / 1000);
  const signed = `${eventId}.${seconds}.${body}`;
  return {
    "x-svc-signature": ownSignature(signing, seconds, body),
    "x-svc-event-version": signing.scheme === "v1" ? "1" : "2",
    "webhook-id": eventId,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signing.secrets.map((secret) => standardSignature(secret, signed)).join(" "),
  };
}
