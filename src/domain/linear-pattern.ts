import { RE2JS } from "re2js";

/** Bounds that keep one pattern's matcher to well under a megabyte and a character's cost to microseconds. */
const LONGEST_PATTERN = 512;
const MOST_INSTRUCTIONS = 1_000;

export type LinearPattern = { regex: RE2JS; instructions: number };

/** Matching takes time linear in the text: RE2 has no backreference, no look-around and never backtracks. */
export function compileLinear(source: string): LinearPattern | { problem: string } {
  if (source.length > LONGEST_PATTERN) {
    return { problem: `a pattern has at most ${LONGEST_PATTERN} characters` };
  }
  let regex: RE2JS;
  try {
    regex = RE2JS.compile(source);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : "not a pattern" };
  }
  const instructions = regex.programSize();
  if (instructions > MOST_INSTRUCTIONS) {
    return {
      problem: `the pattern needs ${instructions} instructions; at most ${MOST_INSTRUCTIONS} are run`,
    };
  }
  return { regex, instructions };
}
