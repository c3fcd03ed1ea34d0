import { expect, test } from "vitest";
import { NameCache } from "../../../../src/domain/run/segment/name-cache.ts";

const encoder = new TextEncoder();
const NAMES = 100_000;
const EVERY_KIND = [
  "",
  "a",
  "b",
  "ab",
  "ba",
  "aa",
  "user-1",
  "user-10",
  "ü",
  "日本",
  "u\u0000",
  "🙂".repeat(200),
];

/** Numbers in the order in which names are asked about, and what was asked. */
function numbering() {
  const numbers = new Map<string, number>();
  const asked: string[] = [];
  const known = new NameCache((name) => {
    asked.push(name);
    if (!numbers.has(name)) numbers.set(name, numbers.size);
    return numbers.get(name) ?? -1;
  });
  return { known, numbers, asked };
}

function numberOf(known: NameCache, name: string): number {
  const bytes = encoder.encode(`before${name}after`);
  return known.of(bytes, "before".length, bytes.length - "after".length);
}

test("a name has the same number wherever its bytes are, and no other name has it", () => {
  const { known, numbers } = numbering();
  for (const name of [...EVERY_KIND, ...EVERY_KIND]) numberOf(known, name);
  expect([...numbers.keys()]).toEqual(EVERY_KIND);
  expect(EVERY_KIND.map((name) => numberOf(known, name))).toEqual(EVERY_KIND.map((_, at) => at));
});

test("many names keep their numbers, and hardly one is decoded twice", () => {
  const { known, numbers, asked } = numbering();
  const names = Array.from({ length: NAMES }, (_, at) => `user_${(at * 7919) % NAMES}`);
  for (const name of names) numberOf(known, name);
  const wrong = names.filter((name) => numberOf(known, name) !== numbers.get(name));
  expect(wrong).toEqual([]);
  expect(numbers.size).toBe(NAMES);
  expect(asked.length).toBeLessThan(NAMES * 1.01);
});

test("names that share a hash are told apart", () => {
  const { known, numbers } = numbering();
  const names = sharingAHash();
  for (const name of names) numberOf(known, name);
  expect(names.map((name) => numberOf(known, name))).toEqual(names.map((name) => numbers.get(name)));
  expect(numbers.size).toBe(2 ** SHARING_PARTS);
});

test("a name that begins another one and shares its hash is told apart from it", () => {
  const { known } = numbering();
  expect(["userOE6aNs", "user", "userOE6aNs"].map((name) => numberOf(known, name))).toEqual([0, 1, 0]);
});

/** More names than are sought by their hash. */
const SHARING_PARTS = 5;
const PART = 6;

/**
 * The hash takes one byte after another, beginning with the length. So two parts that lead from one hash to the same next
 * one can stand for each other, and a name of some such parts shares its hash with all the others.
 */
function sharingAHash(): string[] {
  let names = [""];
  let hash = SHARING_PARTS * PART;
  for (let part = 0; part < SHARING_PARTS; part += 1) {
    const pair = sharingFrom(hash);
    names = names.flatMap((name) => pair.map((text) => `${name}${text}`));
    hash = hashAfter(hash, pair[0] ?? "");
  }
  return names;
}

function sharingFrom(hash: number): string[] {
  const found = new Map<number, string>();
  for (let at = 1; ; at += 1) {
    const text = ((at * 1_103_515_245) % 36 ** PART).toString(36).padStart(PART, "0");
    const next = hashAfter(hash, text);
    const other = found.get(next);
    if (other !== undefined) return [other, text];
    found.set(next, text);
  }
}

function hashAfter(before: number, text: string): number {
  let hash = before;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return hash;
}
