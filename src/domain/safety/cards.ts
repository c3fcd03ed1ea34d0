import { takeSteps, type StepBudget } from "../policy/step-budget.ts";

/**
 * Issuer prefixes (first four digits) and card lengths. Most digits that pass the Luhn check by chance have neither.
 */
const ISSUERS: readonly { from: number; to: number; lengths: readonly number[] }[] = [
  { from: 4000, to: 4999, lengths: [13, 16, 19] },
  { from: 5100, to: 5599, lengths: [16] },
  { from: 2221, to: 2720, lengths: [16] },
  { from: 3400, to: 3499, lengths: [15] },
  { from: 3700, to: 3799, lengths: [15] },
  { from: 6011, to: 6011, lengths: [16, 17, 18, 19] },
  { from: 6440, to: 6599, lengths: [16, 17, 18, 19] },
  { from: 6200, to: 6299, lengths: [16, 17, 18, 19] },
  { from: 3500, to: 3599, lengths: [16, 17, 18, 19] },
  { from: 3000, to: 3059, lengths: [14] },
  { from: 3600, to: 3699, lengths: [14] },
  { from: 3800, to: 3999, lengths: [14] },
];
/** Cards are printed in groups; `4 8 15 16 23 42` is a list. */
const SMALLEST_GROUP = 3;
const FEWEST_DIGITS = 13;
const MOST_DIGITS = 19;
/** Cards begin with 2 to 6. */
const FIRST = 50;
const LAST = 54;
const BEGINNING = new RegExp(String.raw`\b[${String.fromCharCode(FIRST)}-${String.fromCharCode(LAST)}]`);
const STEPS_PER_DIGIT = 3;
const ZERO = 48;
const NINE = 57;

/** The result of the last walk: the digits, their position in the group, and their offsets. */
const digits = new Uint8Array(MOST_DIGITS);
const inGroup = new Uint8Array(MOST_DIGITS);
const places = new Int32Array(MOST_DIGITS);

/**
 * Each digit costs a step, because a text in which a card could start at every other character is walked many times.
 */
export function findCard(text: string, stepBudget: StepBudget): string | undefined {
  // A cheap test first: many texts have no such digit.
  const first = text.search(BEGINNING);
  if (first < 0) return undefined;
  let isInWord = false;
  for (let at = first; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (!isInWord && code >= FIRST && code <= LAST) {
      const count = walk(text, at);
      if (!takeSteps(stepBudget, count * STEPS_PER_DIGIT)) return undefined;
      const end = count < FEWEST_DIGITS ? undefined : endOfCard(text, count);
      if (end !== undefined) return text.slice(at, end);
    }
    isInWord = isWord(code);
  }
  return undefined;
}

/** Walks groups of digits, one separator apart, as far as a card may go. */
function walk(text: string, start: number): number {
  let count = 0;
  let group = 0;
  for (let at = start; count < MOST_DIGITS; at += 1) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) {
      group += 1;
      digits[count] = code - ZERO;
      inGroup[count] = group;
      places[count] = at;
      count += 1;
    } else if (group < SMALLEST_GROUP || !isSeparator(code) || !isDigit(text.charCodeAt(at + 1))) break;
    else group = 0;
  }
  return count;
}

function endOfCard(text: string, count: number): number | undefined {
  const half = (digits[0] ?? 0) * 10 + (digits[1] ?? 0);
  for (const length of lengthsOf(half * 100 + (digits[2] ?? 0) * 10 + (digits[3] ?? 0))) {
    if (length > count || (inGroup[length - 1] ?? 0) < SMALLEST_GROUP || !passesLuhn(length)) continue;
    const end = (places[length - 1] ?? 0) + 1;
    if (end === text.length || !isWord(text.charCodeAt(end))) return end;
  }
  return undefined;
}

function lengthsOf(prefix: number): readonly number[] {
  for (const { from, to, lengths } of ISSUERS) if (from <= prefix && prefix <= to) return lengths;
  return [];
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** ASCII letters, digits and `_`. */
function isWord(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
}

/** A space, a dash or a dot. */
function isSeparator(code: number): boolean {
  return code === 32 || code === 45 || code === 46;
}

function passesLuhn(length: number): boolean {
  let sum = 0;
  let isVaried = false;
  for (let place = 0; place < length; place += 1) {
    const digit = digits[length - 1 - place] ?? 0;
    const doubled = place % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
    if (digit !== digits[0]) isVaried = true;
  }
  return sum % 10 === 0 && isVaried;
}
