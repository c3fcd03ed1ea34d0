import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { Peppers } from "./peppers.ts";

/** What an org keeps sealed. A value opens for its own purpose only. */
export const SEALED_FOR = {
  exportDestination: "export-destination",
  providerKey: "provider-key",
  reservationKey: "reservation-key",
  ssoConnection: "sso-connection",
  webhookAddress: "webhook-address",
  webhookSecret: "webhook-secret",
} as const;

/**
 * Secrets at rest: AES-256-GCM under a key derived from the pepper, one per purpose. Synchronous, so that sealing can
 * happen inside a storage transaction.
 */
function keyFor(pepper: string, purpose: string): Buffer {
  return createHmac("sha256", pepper).update(`seal:${purpose}`).digest();
}

export function seal(pepper: string, purpose: string, text: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyFor(pepper, purpose), iv);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64");
}

export function unseal(pepper: string, purpose: string, sealed: string): string {
  const bytes = Buffer.from(sealed, "base64");
  const decipher = createDecipheriv("aes-256-gcm", keyFor(pepper, purpose), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
}

/** Opens what was sealed under either pepper. */
export function unsealAny([current, other]: Peppers, purpose: string, sealed: string): string {
  if (other === undefined) return unseal(current, purpose, sealed);
  return opened(current, purpose, sealed) ?? unseal(other, purpose, sealed);
}

/** Null: it was sealed under another pepper, or for another purpose. */
export function opened(pepper: string, purpose: string, sealed: string): string | null {
  try {
    return unseal(pepper, purpose, sealed);
  } catch {
    return null;
  }
}
