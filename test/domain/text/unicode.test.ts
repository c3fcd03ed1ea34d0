import * as fc from "fast-check";
import { expect, test } from "vitest";
import { spellsLoneSurrogate } from "../../../src/domain/text/unicode.ts";

test("a text spells half of a surrogate pair exactly if what it says is not well-formed", () => {
  const part = fc.constantFrom("\\\\", "\\ud83d", "\\ude00", "\\u0041", "\\n", '\\"', "ud83d", "ude00", "a");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const json = `"${parts.join("")}"`;
      expect(spellsLoneSurrogate(json)).toBe(!(JSON.parse(json) as string).isWellFormed());
    }),
    { numRuns: 2000 },
  );
});
