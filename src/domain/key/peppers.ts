import { createHmac } from "node:crypto";
import { sameSecret } from "./api-key.ts";

/** The pepper that everything new is made with and, while it is being changed, the other one that is accepted too. */
export type Peppers = readonly [current: string] | readonly [current: string, other: string];

const MARK_CHARACTERS = 8;

/** Names a pepper without telling anything about it. */
export function pepperMark(pepper: string): string {
  return createHmac("sha256", pepper).update("pepper mark").digest("hex").slice(0, MARK_CHARACTERS);
}

/** Returns what is read under the current pepper, or else under the other one. */
export function firstUnder<T>([current, other]: Peppers, read: (pepper: string) => T | null): T | null {
  return read(current) ?? (other === undefined ? null : read(other));
}

/**
 * How a secret is shown to an org's object: its digest or, while the pepper is being changed, its digests under both peppers,
 * each behind the mark of its pepper. The object has one of them.
 */
export function presentDigest([current, other]: Peppers, digestUnder: (pepper: string) => string): string {
  if (other === undefined) return digestUnder(current);
  return [current, other].map((pepper) => `${pepperMark(pepper)}.${digestUnder(pepper)}`).join(" ");
}

export interface DigestUnder {
  /** Null means under the pepper of whoever gave it. */
  readonly mark: string | null;
  readonly digest: string;
}

export function digestsIn(given: string): readonly DigestUnder[] {
  return given.split(" ").map((text) => {
    const at = text.indexOf(".");
    return at < 0 ? { mark: null, digest: text } : { mark: text.slice(0, at), digest: text.slice(at + 1) };
  });
}

/** Returns whether one of the digests is the stored one. Each is compared in constant time. */
export function matchesDigest(given: string, stored: string): boolean {
  if (!given.includes(" ")) return sameSecret(given.slice(given.indexOf(".") + 1), stored);
  return digestsIn(given).some(({ digest }) => sameSecret(digest, stored));
}

/** Both digests, for a statement that looks a secret up. Without a second one, the second place finds nothing. */
export function digestPair(given: string): [string, string] {
  const [first, second] = digestsIn(given);
  return [first?.digest ?? "", second?.digest ?? ""];
}
