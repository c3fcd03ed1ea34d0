/** The context before a character, as far as assertions need it. */
export const BEFORE = { start: 0, newline: 1, word: 2, other: 3 } as const;

/** Represents the end of the text. */
export const END = -1;
const NEWLINE = 10;

/** The assertion flags of re2js. */
const BEGIN_LINE = 1;
const END_LINE = 2;
const BEGIN_TEXT = 4;
const END_TEXT = 8;
const WORD_BOUNDARY = 16;
const NO_WORD_BOUNDARY = 32;

export function beforeNext(rune: number): number {
  if (rune === NEWLINE) return BEFORE.newline;
  return isWord(rune) ? BEFORE.word : BEFORE.other;
}

/** All assertions that hold between the context and the next character. */
export function contextOf(before: number, rune: number): number {
  const isBoundary = (before === BEFORE.word) !== isWord(rune);
  return (
    (before === BEFORE.start ? BEGIN_TEXT | BEGIN_LINE : 0) |
    (before === BEFORE.newline ? BEGIN_LINE : 0) |
    (rune === END ? END_TEXT | END_LINE : 0) |
    (rune === NEWLINE ? END_LINE : 0) |
    (isBoundary ? WORD_BOUNDARY : NO_WORD_BOUNDARY)
  );
}

/** Returns what RE2 calls a word: ASCII letters, digits and `_`. */
function isWord(rune: number): boolean {
  return (
    (rune >= 97 && rune <= 122) || (rune >= 65 && rune <= 90) || (rune >= 48 && rune <= 57) || rune === 95
  );
}
