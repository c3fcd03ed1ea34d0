import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * `svc_live_<org ULID><key ULID>_<43 base62 secret><6 base62 check>`. The check is keyed, so a mistyped or forged key
 * is refused without a lookup. Only a keyed digest of the whole key is stored.
 */

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KEY = /^svc_(live|test)_([0-9A-HJKMNP-TV-Z]{26})([0-9A-HJKMNP-TV-Z]{26})_([0-9A-Za-z]{49})$/;
const CHECK_LENGTH = 6;

export interface ParsedKey {
  readonly orgId: string;
  readonly keyId: string;
}

export function base62(bytes: Uint8Array, length: number): string {
  let value = 0n;
  for (const byte of bytes) value = value * 256n + BigInt(byte);
  let text = "";
  for (let i = 0; i < length; i++) {
    text = BASE62.charAt(Number(value % 62n)) + text;
    value /= 62n;
  }
  return text;
}

function checkOf(pepper: string, unchecked: string): string {
  const digest = createHmac("sha256", pepper).update("key-check:").update(unchecked).digest();
  return base62(digest.subarray(0, 8), CHECK_LENGTH);
}

/** Looks at every character, whichever differs: how long it takes tells the length alone. */
function sameText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at += 1) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}

export function mintKey(
  pepper: string,
  key: { environment: "live" | "test"; orgId: string; keyId: string },
): string {
  const ids = key.orgId.slice("org_".length) + key.keyId.slice("key_".length);
  const unchecked = `svc_${key.environment}_${ids}_${base62(randomBytes(40), 43)}`;
  return unchecked + checkOf(pepper, unchecked);
}

/** Null if the text is not one of our keys: wrong format or wrong check. */
export function parseKey(pepper: string, text: string): ParsedKey | null {
  const match = KEY.exec(text);
  if (match === null) return null;
  const unchecked = text.slice(0, -CHECK_LENGTH);
  if (!sameText(text.slice(-CHECK_LENGTH), checkOf(pepper, unchecked))) return null;
  return { orgId: `org_${match[2]}`, keyId: `key_${match[3]}` };
}

/** The ids in a key whose check nobody can verify any more, because its pepper is gone. */
export function uncheckedKey(text: string): ParsedKey | null {
  const match = KEY.exec(text);
  return match === null ? null : { orgId: `org_${match[2]}`, keyId: `key_${match[3]}` };
}

export function keyDigest(pepper: string, text: string): string {
  return createHmac("sha256", pepper).update(text).digest("hex");
}

/** Returns whether a secret is the expected one. It compares digests of equal length in constant time. */
export function isSecret(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given), sha256(expected));
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

export { sameText as sameSecret };
