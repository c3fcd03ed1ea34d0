import { createHash, randomBytes } from "node:crypto";
import { ALPHABET, LETTERS } from "./id-letters.ts";

const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/** Ten characters of time and sixteen of randomness: sorts by time of creation. */
function ulid(nowMs: number, random: Uint8Array, from = 0): string {
  const codes: number[] = [];
  let divisor = 32 ** (TIME_CHARACTERS - 1);
  for (let i = 0; i < TIME_CHARACTERS; i++) {
    codes.push(ALPHABET[Math.floor(nowMs / divisor) % 32] ?? 0);
    divisor /= 32;
  }
  for (let i = 0; i < RANDOM_CHARACTERS; i++) codes.push(ALPHABET[(random[from + i] ?? 0) % 32] ?? 0);
  return String.fromCharCode(...codes);
}

/** The value of each letter, by its code. */
const NO_LETTER = -1;
const VALUES = new Int8Array(128).fill(NO_LETTER);
for (const [value, code] of ALPHABET.entries()) VALUES[code] = value;

/** The time that a ULID starts with. */
export function timeOf(id: string): number {
  return numberIn(id.slice(0, TIME_CHARACTERS));
}

function numberIn(text: string): number {
  let number = 0;
  for (let at = 0; at < text.length; at += 1)
    number = number * 32 + (VALUES[text.charCodeAt(at)] ?? NO_LETTER);
  return number;
}

/** Encodes the lowest bits of a number, five per character. */
export function lettersOf(bits: number, count: number): string {
  let text = "";
  for (let i = 0; i < count; i++) text += LETTERS.charAt((bits >>> (i * 5)) & 31);
  return text;
}

/** Random bytes are drawn for many ids at once, because each draw is expensive. */
const drawn = new Uint8Array(256 * RANDOM_CHARACTERS);
let used = drawn.length;

export function newId<P extends string>(prefix: P, nowMs: number): `${P}_${string}` {
  if (used === drawn.length) {
    crypto.getRandomValues(drawn);
    used = 0;
  }
  const id = ulid(nowMs, drawn, used);
  used += RANDOM_CHARACTERS;
  return `${prefix}_${id}`;
}

/** The id of one piece of work. It contains the start time. */
export function newSeed(nowMs: number): string {
  return `${nowMs}:${randomBytes(16).toString("hex")}`;
}

/** The same seed always gives the same id, so that work done twice creates one thing. */
export function derivedId<P extends string>(prefix: P, seed: string): `${P}_${string}` {
  const digest = createHash("sha256").update(`${prefix}:${seed}`).digest();
  return `${prefix}_${ulid(Number.parseInt(seed, 10), digest)}`;
}

const PLACE_CHARACTERS = 11;

/**
 * The id of an item in a row of many: its time, the number of the row, and its index in the row. It is the same at each
 * read, and sorts by time.
 */
export function placeId<P extends string>(
  prefix: P,
  atMs: number,
  place: number,
  index: number,
): `${P}_${string}` {
  const rest = RANDOM_CHARACTERS - PLACE_CHARACTERS;
  return `${prefix}_${numberText(atMs, TIME_CHARACTERS)}${numberText(place, PLACE_CHARACTERS)}${numberText(index, rest)}`;
}

/** The number of the row that a `placeId` names. */
export function rowOf(id: string): number {
  const start = id.length - RANDOM_CHARACTERS;
  return numberIn(id.slice(start, start + PLACE_CHARACTERS));
}

function numberText(number: number, characters: number): string {
  let text = "";
  let rest = number;
  for (let i = 0; i < characters; i++) {
    text = LETTERS.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
