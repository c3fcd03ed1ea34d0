import { Lexer } from "yaml";
import { Failure } from "./command.ts";

/** Larger than any org's settings, and small enough to read at once. */
export const MOST_FILE_BYTES = 4 * 1024 * 1024;
const MOST_LINES = 250_000;
const MOST_VALUES = 200_000;
/** The parser explains the first mistakes. It takes much longer for each than for a value. */
const MOST_LOOSE_TEXTS = 100;
const MOST_DEPTH = 32;
const MOST_INDENT = 200;
/** The lexer works longer for each word of a long line. */
const LONGEST_LINE = 65_536;

/** The lexer's mark before the text of a scalar. */
const SCALAR = "\u001f";

/**
 * Refuses what would make the parser work without bound: aliases, which multiply what they name, tags, depth, too many values, and
 * many mistakes. It looks at the text word by word, and builds nothing.
 */
export function checkBounds(name: string, text: string): void {
  const refuse = (line: number, why: string) => new Failure([`${name}:${line}: ${why}`]);
  if (text.length > MOST_FILE_BYTES) throw refuse(1, `is larger than ${MOST_FILE_BYTES} bytes`);
  const lines = text.split("\n");
  if (lines.length > MOST_LINES) throw refuse(MOST_LINES, `has more than ${MOST_LINES} lines`);
  const long = lines.findIndex((line) => line.length > LONGEST_LINE);
  if (long !== -1) throw refuse(long + 1, `is longer than ${LONGEST_LINE} characters`);
  const counts = { line: 1, flow: 0, items: 0, values: 0, marks: 0 };
  let isScalar = false;
  for (const word of new Lexer().lex(text)) {
    // Only texts without quotes have a mark before them.
    if (isScalar || word.startsWith('"') || word.startsWith("'")) counts.values += 1;
    else countWord(word, counts);
    const why = excessOf(counts) ?? (isScalar ? null : problemOf(word));
    if (why !== null) throw refuse(counts.line, why);
    counts.line += word.split("\n").length - 1;
    isScalar = word === SCALAR;
  }
}

function excessOf({ values, marks, flow, items }: Counts): string | null {
  if (values > MOST_VALUES || marks > MOST_VALUES) return `has more than ${MOST_VALUES} values`;
  // A field has two texts, its name and its value.
  if (values > 2 * marks + MOST_LOOSE_TEXTS)
    return "is not YAML: has texts that are neither fields nor items";
  return flow > MOST_DEPTH || items > MOST_DEPTH ? `is nested deeper than ${MOST_DEPTH}` : null;
}

function problemOf(word: string): string | null {
  if (/^[&*]/.test(word)) return "must have no anchors and aliases (& and *)";
  if (word.startsWith("!")) return "must have no tags (!)";
  if (word.startsWith("%")) return "must have no directives (%)";
  return /^ +$/.test(word) && word.length > MOST_INDENT
    ? `is indented by more than ${MOST_INDENT} columns`
    : null;
}

interface Counts {
  line: number;
  /** Brackets that are open. */
  flow: number;
  /** The marks in the line that open a list or a map inside another. */
  items: number;
  values: number;
  /** What fields and items begin with. */
  marks: number;
}

const MARKS: ReadonlySet<string> = new Set(["[", "{", "-", "?", ":", ","]);

function countWord(word: string, counts: Counts): void {
  if (MARKS.has(word)) counts.marks += 1;
  if (word === "[" || word === "{") counts.flow += 1;
  else if (word === "]" || word === "}") counts.flow -= 1;
  else if (word === "-" || word === "?" || word === ":") counts.items += 1;
  else if (word.includes("\n")) counts.items = 0;
}
