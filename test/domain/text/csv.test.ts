import { expect, test } from "vitest";
import { csvField } from "../../../src/domain/text/csv.ts";

const SPACES = ["", " ", "  ", "\t", "\r", "\n", "\u00a0", "\u3000", "\ufeff"];
const STARTS = ["=", "+", "-", "@", "＝", "＋", "－", "＠"];

test.each(STARTS)("a text that begins with %s is no formula, whatever space is before it", (start) => {
  for (const space of SPACES) {
    const text = `${space}${start}1+1`;
    const field = csvField(text);
    expect(field.replace(/^"([^]*)"$/, "$1")).toBe(`'${text}`);
  }
});

test("a tab or a line break at the start is guarded by itself, and a plain text is left as it is", () => {
  expect(csvField("\tx")).toBe("'\tx");
  expect(csvField("\rx")).toBe(`"'\rx"`);
  for (const text of ["a=1", "a+b", "1-2", "who@where", "", "a＝b"]) expect(csvField(text)).toBe(text);
});
