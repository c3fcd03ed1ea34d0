import * as fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { compileLinear, type LinearPattern, sizeProblem } from "../../../src/domain/linear/pattern.ts";
import { programOf } from "../../../src/domain/linear/program.ts";
import { noise } from "../safety/noise.ts";

const ENOUGH = 1e12;

function compiled(source: string): LinearPattern {
  const pattern = compileLinear(source);
  if ("problem" in pattern) throw new Error(`${source}: ${pattern.problem}`);
  return pattern;
}

const matches = (source: string, text: string): boolean =>
  typeof compiled(source).matcher.find(text, { left: ENOUGH }) === "object";

function stepsOf({ matcher }: LinearPattern, text: string): number {
  const work = { left: ENOUGH };
  matcher.find(text, work);
  return ENOUGH - work.left;
}

const atom = fc.constantFrom(
  "a", "b", "c", ".", "\\w", "\\W", "\\d", "[a-c]", "[^a]", "\\pL", "é", "ω", "😀", "\\n", "_", "-", "\\x{D800}",
); // prettier-ignore
const assertion = fc.constantFrom("^", "$", "\\b", "\\B", "\\A", "\\z");
const { pattern: anyPattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc
    .tuple(fc.constantFrom("", "(?i)", "(?s)", "(?m)", "(?ims)"), tie("part"))
    .map((parts) => parts.join("")),
  part: fc.oneof(
    { maxDepth: 4 },
    atom,
    assertion,
    fc.tuple(tie("part"), tie("part")).map((parts) => parts.join("")),
    fc.tuple(tie("part"), tie("part")).map(([left, right]) => `(?:${left}|${right})`),
    fc
      .tuple(tie("part"), fc.constantFrom("*", "+", "?", "*?", "{0,3}", "{2}", "{1,4}?"))
      .map(([part, repeat]) => `(${part})${repeat}`),
  ),
}));
const anyText = fc
  .array(
    fc.constantFrom("a", "b", "c", "A", "1", "_", "-", " ", "\n", "é", "É", "ω", "Ω", "😀", "\uD800", "x"),
    {
      maxLength: 40,
    },
  )
  .map((parts) => parts.join(""));

describe("a pattern", () => {
  test("matches exactly what RE2 matches, whatever was read before", () => {
    fc.assert(
      fc.property(anyPattern, fc.array(anyText, { minLength: 1, maxLength: 4 }), (source, texts) => {
        const pattern = compileLinear(source);
        if ("problem" in pattern) return;
        for (const text of texts) {
          const found = typeof pattern.matcher.find(text, { left: ENOUGH }) === "object";
          expect({ source, text, found }).toEqual({ source, text, found: RE2JS.compile(source).test(text) });
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("matches what RE2 matches when there are more states than the cache holds", () => {
    const text = noise(20_000);
    for (const length of [5, 12, 30]) {
      const source = `(?s)a.{${length}}é.{3}aaa.{4}z`;
      for (const ending of ["", `${"a".repeat(60)}z`]) {
        expect(matches(source, text + ending)).toBe(RE2JS.compile(source).test(text + ending));
      }
    }
  });

  test("says where the first match ends", () => {
    const { matcher } = compiled("PROJ-[0-9]{4}\\b");
    expect(matcher.find("see PROJ-12345, PROJ-1234.", { left: ENOUGH })).toEqual({ end: 25 });
    expect(matcher.find("see PROJ-1234", { left: ENOUGH })).toEqual({ end: 13 });
  });
});

describe("the work of a pattern", () => {
  test("is one step per character for known transitions", () => {
    const text = "The quick brown fox jumps over the lazy dog. ".repeat(2_000);
    expect(stepsOf(compiled("PROJ-[0-9]{4}"), text)).toBeLessThan(text.length + 5_000);
  });

  test("is never more than the text's length times the cost of the whole program", () => {
    for (const source of ["(?s).*a.{900}b", "(?s)a.{20}b", "(a|é)*a(a|é){150}c", "(?i)[a-zé]{1,200}@x"]) {
      const pattern = compiled(source);
      const text = noise(3_000);
      expect(stepsOf(pattern, text)).toBeLessThanOrEqual(
        (text.length + 1) * (140 + 7 * pattern.instructions),
      );
    }
  });

  test("ends when no steps are left, at most one character later", () => {
    const pattern = compiled("(?s).*a.{900}b");
    const work = { left: 100_000 };
    expect(pattern.matcher.find(noise(100_000), work)).toBe("too_costly");
    expect(work.left).toBeGreaterThan(-(140 + 7 * pattern.instructions));
  });

  test("is charged for a match too", () => {
    const work = { left: 3 };
    expect(compiled("zz").matcher.find("aaaaaaaazz", work)).toBe("too_costly");
  });

  test("looks for a short beginning only, which takes a time linear in the text", () => {
    const { regex, matcher } = compiled(`${"ab".repeat(100)}[0-9]`);
    expect(programOf(regex).beginning).toBe("ab".repeat(32));
    expect(matcher.find(`${"ab".repeat(101)}7`, { left: ENOUGH })).toEqual({ end: 203 });
    expect(matcher.find("ab".repeat(101), { left: ENOUGH })).toBe("nothing");
  });

  test("is charged where no match can begin", () => {
    const { matcher } = compiled("\\bsecret-[a-z]{3}");
    expect(matcher.find("a".repeat(100), { left: 99 })).toBe("too_costly");
    expect(matcher.find("a".repeat(100), { left: 100 })).toBe("nothing");
  });
});

describe("a pattern that is too large", () => {
  test.each([
    ["a{1,501}", "1003", "1000"],
    ["x".repeat(513), "513", "512"],
  ])("%s is refused with its size and the bound", (source, size, bound) => {
    const pattern = compileLinear(source);
    const problem = "problem" in pattern ? pattern.problem : "";
    expect(problem).toContain(size);
    expect(problem).toContain(bound);
  });

  test("can also be one with many Unicode classes", () => {
    expect(sizeProblem(compiled("\\pL".repeat(19)))).toBeUndefined();
    expect(sizeProblem(compiled("\\pL".repeat(20)))).toContain("size of 1022");
  });
});
