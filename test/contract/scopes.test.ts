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
import { TOUCHING_SCOPES } from "../../src/domain/meter/limit-set.ts";

test("each column of a stored run has its own number", () => {
  const numbers = Object.values(COLUMN_NUMBERS);
  expect(new Set(numbers).size).toBe(numbers.length);
  for (const kind of NAMED_SCOPES) expect(COLUMN_NUMBERS[`${kind}Id`]).toBe(SCOPES[kind].column);
});

test("every scope except the org is matched by name, in exactly one way", () => {
  // A limit that matches calls says by itself which ones.
  const named = SCOPE_KINDS.filter((kind) => kind !== "org" && kind !== MATCH_SCOPE);
  expect(new Set(TOUCHING_SCOPES)).toEqual(new Set(named));
  expect(TOUCHING_SCOPES).toHaveLength(SINGLE_SCOPES.length + EACH_SCOPES.length);
});

test("the id of a limit shows its kind", () => {
  for (const kind of METER_KINDS) {
    const { idPrefix } = meterRowOf(kind);
    expect(meterKindOf(idPrefix === null ? kind : `${idPrefix}_01JD0000000000000000000000`)).toBe(kind);
  }
  expect(meterKindOf("toString")).toBeNull();
});
