import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { METER_KINDS, meterKindOf, meterRowOf } from "../../src/contract/meter-kinds.ts";
import {
  EACH_SCOPES,
  NAMED_SCOPES,
  MATCH_SCOPE,
  SCOPE_KINDS,
  SCOPES,
  SINGLE_SCOPES,
} from "../../src/contract/scopes.ts";
import { COLUMN_NUMBERS } from "../../src/domain/run/segment/record.ts";
import { MATCHED_SCOPES } from "../../src/domain/meter/limit-set.ts";

test("each column of a stored run has its own number", () => {
  const numbers = Object.values(COLUMN_NUMBERS);
  expect(new Set(numbers).size).toBe(numbers.length);
  for (const kind of NAMED_SCOPES) expect(COLUMN_NUMBERS[`${kind}Id`]).toBe(SCOPES[kind].column);
});

test("every scope except the org is matched by name, in exactly one way", () => {
  // A limit that matches calls says by itself which ones.
  const named = SCOPE_KINDS.filter((kind) => kind !== "org" && kind !== MATCH_SCOPE);
  expect(new Set(MATCHED_SCOPES)).toEqual(new Set(named));
  expect(MATCHED_SCOPES).toHaveLength(SINGLE_SCOPES.length + EACH_SCOPES.length);
});

test("the id of a limit shows its kind", () => {
  for (const kind of METER_KINDS) {
    const { idPrefix } = meterRowOf(kind);
    expect(meterKindOf(idPrefix === null ? kind : `${idPrefix}_01JD0000000000000000000000`)).toBe(kind);
  }
  expect(meterKindOf("toString")).toBeNull();
});

/** Paragraphs and rows of tables. */
const passages = readdirSync("docs", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .flatMap((file) =>
    readFileSync(`docs/${file}`, "utf8")
      .split(/\n\s*\n|\n(?=\|)/)
      .map((text) => [file, text] as const),
  );

const KIND = `(?:${NAMED_SCOPES.join("|")})`;
const LISTED = new RegExp(`(?:\\b${KIND}s?,\\s+){2,}${KIND}(?:s?\\s+(?:and|or)\\s+${KIND})?`, "g");
const FIELD = new RegExp(`\\b(${KIND})[_-]id\\b`, "g");
const LIST = 3;

test("docs that list scopes name all of them", () => {
  const lists = passages.flatMap(([file, text]) => {
    const fields = new Set([...text.matchAll(FIELD)].map(([, kind = ""]) => kind));
    const words = [...text.matchAll(LISTED)].map(([list]) => new Set(list.match(new RegExp(KIND, "g"))));
    return [fields, ...words].filter(({ size }) => size >= LIST).map((named) => ({ file, named }));
  });
  expect(lists.length).toBeGreaterThan(8);
  for (const { file, named } of lists)
    expect([file, ...named].sort()).toEqual([file, ...NAMED_SCOPES].sort());
});
