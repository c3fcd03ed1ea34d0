import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { Peppers } from "./peppers.ts";

/** The purposes for which an org stores something encrypted. A value can be decrypted for its own purpose only. */
export const ENCRYPTED_FOR = {
  exportDestination: "export-destination",
  providerKey: "provider-key",
  reservationKey: "reservation-key",
  ssoConnection: "sso-connection",
  webhookAddress: "webhook-address",
  webhookSecret: "webhook-secret",
} as const;

/**
 * Secrets at rest: AES-256-GCM under a key derived from the pepper, one per purpose. Synchronous, so that encryption can
 * happen inside a storage transaction.
 */
function keyFor(pepper: string, purpose: string): Buffer {
  return createHmac("sha256", pepper).update(`seal:${purpose}`).digest();
}

export function encrypt(pepper: string, purpose: string, text: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyFor(pepper, purpose), iv);
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString("base64");
}

export function decrypt(pepper: string, purpose: string, ciphertext: string): string {
  const bytes = Buffer.from(ciphertext, "base64");
  const decipher = createDecipheriv("aes-256-gcm", keyFor(pepper, purpose), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
}

/** Decrypts what was encrypted under either pepper. */
export function decryptAny([current, other]: Peppers, purpose: string, ciphertext: string): string {
  if (other === undefined) return decrypt(current, purpose, ciphertext);
  return tryDecrypt(current, purpose, ciphertext) ?? decrypt(other, purpose, ciphertext);
}

/** Null if it was encrypted under another pepper, or for another purpose. */
export function tryDecrypt(pepper: string, purpose: string, ciphertext: string): string | null {
  try {
    return decrypt(pepper, purpose, ciphertext);
  } catch {
    return null;
  }
}
