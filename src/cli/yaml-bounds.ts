import { Lexer } from "yaml";
import { Failure } from "./command.ts";

/** Larger than any org's settings, and small enough to read at once. */
export const MOST_FILE_BYTES = 4 * 1024 * 1024;
const MOST_VALUES = 200_000;
const MOST_DEPTH = 32;
const MOST_INDENT = 200;
/** The lexer works longer for each word of a long line. */
const LONGEST_LINE = 65_536;

/** The lexer's mark before the text of a scalar. */
const SCALAR = "\u001f";

/**
 * Refuses what would make the parser work without bound: aliases, which multiply what they name, tags, depth, and too many
 * values. It looks at the text word by word, and builds nothing.
 */
export function checkBounds(name: string, text: string): void {
  const refuse = (line: number, why: string) => new Failure([`${name}:${line}: ${why}`]);
  if (text.length > MOST_FILE_BYTES) throw refuse(1, `is larger than ${MOST_FILE_BYTES} bytes`);
  const long = text.split("\n").findIndex((line) => line.length > LONGEST_LINE);
  if (long !== -1) throw refuse(long + 1, `is longer than ${LONGEST_LINE} characters`);
  const counts = { line: 1, flow: 0, items: 0, values: 0 };
  let isScalar = false;
  for (const word of new Lexer().lex(text)) {
    const { line } = counts;
    if (isScalar) {
      counts.values += 1;
      if (counts.values > MOST_VALUES) throw refuse(line, `has more than ${MOST_VALUES} values`);
    } else countWord(word, counts);
    if (!isScalar && /^[&*]/.test(word)) throw refuse(line, "must have no anchors and aliases (& and *)");
    if (!isScalar && word.startsWith("!")) throw refuse(line, "must have no tags (!)");
    if (counts.flow > MOST_DEPTH || counts.items > MOST_DEPTH)
      throw refuse(line, `is nested deeper than ${MOST_DEPTH}`);
    if (/^ +$/.test(word) && word.length > MOST_INDENT)
      throw refuse(line, `is indented by more than ${MOST_INDENT} columns`);
    counts.line += word.split("\n").length - 1;
    isScalar = word === SCALAR;
  }
}

interface Counts {
  line: number;
  /** Brackets that are open. */
  flow: number;
  /** The marks in the line that open a list or a map inside another. */
  items: number;
  values: number;
}

function countWord(word: string, counts: Counts): void {
  if (word === "[" || word === "{") counts.flow += 1;
  else if (word === "]" || word === "}") counts.flow -= 1;
  else if (word === "-" || word === "?" || word === ":") counts.items += 1;
  else if (word.includes("\n")) counts.items = 0;
}
