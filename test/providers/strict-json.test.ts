import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseStrictJson } from "../../src/providers/body/strict-json.ts";

const KNOWN = new Set(["model", "max_tokens", "stream"]);
const parse = (text: string) => parseStrictJson(text, KNOWN);

describe("a body that can be read in two ways is refused", () => {
  test.each([
    ["a second model", '{"model":"a","model":"b"}', /"model" twice/],
    ["a second model, escaped", '{"model":"a","m\\u006fdel":"b"}', /"model" twice/],
    ["a name twice further inside", '{"model":"a","x":[{"y":{"z":1,"z":2}}]}', /"z" twice/],
    ["another case", '{"Model":"a"}', /Write it as "model"/],
    ["another case beside the known one", '{"model":"a","MODEL":"b"}', /Write it as "model"/],
    ["a letter that folds to one of ASCII", '{"\u017Ftream":true}', /Write it as "stream"/],
    ["a number that is not exact", '{"max_tokens":9007199254740993}', /too large/],
    ["a number beyond all", '{"temperature":1e999}', /too large/],
    ["a list", '[{"model":"a"}]', /must be a JSON object/],
    ["no JSON", '{"model":"a"}}', /not valid JSON/],
    ["a byte order mark", '\uFEFF{"model":"a"}', /not valid JSON/],
    ["deep nesting", `{"model":"a","x":${"[".repeat(70)}${"]".repeat(70)}}`, /deeper than 64/],
  ])("%s", (_, text, reason) => {
    expect(() => parse(text)).toThrow(reason);
  });

  test("the reason quotes a long name in part", () => {
    const name = "x".repeat(10_000);
    expect(() => parse(`{"${name}":1,"${name}":2}`)).toThrow(/^The body has the member "x{64}…" twice\.$/);
  });
});

test("a body with one reading is read as JSON.parse reads it", () => {
  const name = fc.string({ unit: fc.constantFrom("a", '"', "\\", "{", ":", "é", "\n", "😀") });
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      name,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true, max: 1e15, min: -1e15 }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(name, tie("value"), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(name, json.value, { maxKeys: 4 }), fc.constantFrom(0, 2), (body, spaces) => {
      const text = JSON.stringify(body, null, spaces);
      expect(parseStrictJson(text, KNOWN)).toEqual(JSON.parse(text));
    }),
  );
});

test("a repeated name is found wherever it stands", () => {
  const path = fc.array(fc.constantFrom("list", "object"), { maxLength: 6 });
  fc.assert(
    fc.property(path, fc.string(), fc.string(), (steps, name, filler) => {
      const key = JSON.stringify(name);
      const twice = `{${key}:${JSON.stringify(filler)},"other ${key.slice(1)}:1,${key}:2}`;
      const text = steps.reduce(
        (inner, step) => (step === "list" ? `[0,${inner}]` : `{"in":${inner}}`),
        twice,
      );
      expect(() => parse(`{"model":"m","x":${text}}`)).toThrow(/twice/);
    }),
  );
});
