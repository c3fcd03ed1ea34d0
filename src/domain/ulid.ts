import { createHash, randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Ten characters of time, sixteen of randomness: sorts by time of creation. */
function ulid(nowMs: number, random: Uint8Array): string {
  let time = "";
  let rest = nowMs;
  for (let i = 0; i < 10; i++) {
    time = ALPHABET.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  let tail = "";
  for (let i = 0; i < 16; i++) tail += ALPHABET.charAt((random[i] ?? 0) % 32);
  return time + tail;
}

export function newId<P extends string>(prefix: P, nowMs: number): `${P}_${string}` {
  return `${prefix}_${ulid(nowMs, randomBytes(16))}`;
}

/** Names one piece of work; carries the time at which it began. */
export function newSeed(nowMs: number): string {
  return `${nowMs}:${randomBytes(16).toString("hex")}`;
}

/** The same id each time for the same seed, so that work done twice ends in one thing. */
export function derivedId<P extends string>(prefix: P, seed: string): `${P}_${string}` {
  const digest = createHash("sha256").update(`${prefix}:${seed}`).digest();
  return `${prefix}_${ulid(Number.parseInt(seed, 10), digest)}`;
}
