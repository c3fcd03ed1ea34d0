import { RE2JS } from "re2js";
import { LinearMatcher } from "./matcher.ts";
import { programOf } from "./program.ts";

const LONGEST_PATTERN = 512;
/** The maximum size of one pattern. */
const LARGEST_PATTERN = 1_000;
/** Classes such as `\pL` are tables of hundreds of ranges, and each use of one adds its table. */
const UNICODE_CLASS = /\\p/gi;
const UNICODE_CLASS_SIZE = 50;

export interface LinearPattern {
  readonly regex: RE2JS;
  readonly matcher: LinearMatcher;
  readonly instructions: number;
  /** The cost of compiling and storing it: its instructions, plus more for each Unicode class. */
  readonly size: number;
}

/** Matching takes time linear in the text: RE2 has no backreference, no look-around and never backtracks. */
export function compileLinear(source: string): LinearPattern | { problem: string } {
  if (source.length > LONGEST_PATTERN) {
    return { problem: `must have at most ${LONGEST_PATTERN} characters, but has ${source.length}` };
  }
  let regex: RE2JS;
  try {
    regex = RE2JS.compile(source);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : "not a pattern" };
  }
  const instructions = regex.programSize();
  if (instructions > LARGEST_PATTERN) {
    return { problem: tooLarge("the pattern", instructions, LARGEST_PATTERN) };
  }
  const size = instructions + UNICODE_CLASS_SIZE * (source.match(UNICODE_CLASS)?.length ?? 0);
  return { regex, instructions, size, matcher: new LinearMatcher(programOf(regex)) };
}

/** Returns why a pattern that compiles cannot be stored. A pattern that is already stored stays in force. */
export function sizeProblem({ size }: LinearPattern): string | undefined {
  return size > LARGEST_PATTERN ? tooLarge("the pattern", size, LARGEST_PATTERN) : undefined;
}

export function tooLarge(what: string, size: number, largest: number): string {
  return `${what} has a size of ${size}, and at most ${largest} is allowed; repeat counts and Unicode classes such as \\pL make it large`;
}
