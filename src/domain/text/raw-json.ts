/**
 * JSON that a parsed value cannot represent: numbers that a double would round (`12345678901234567890`, `1e400`) or
 * write differently (`1e9`), and texts that need not be parsed. In a value, it is an object whose only key is half of a
 * surrogate pair. JSON from callers never has such a key, and storage, copies and JSON itself preserve it.
 */
const KEY = "\uD800";

export interface RawJson {
  readonly [KEY]: string;
}

export function rawJson(text: string): RawJson {
  return { [KEY]: text };
}

/** The raw text of a value. Null if it is an ordinary value. */
export function rawText(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, KEY)) return null;
  return (value as RawJson)[KEY];
}

const OPENING = `{${JSON.stringify(KEY)}:`;

/** JSON as it is sent, with each raw text in place of its object. */
export function writeRaw(json: string): string {
  let at = json.indexOf(OPENING);
  if (at < 0) return json;
  const pieces: string[] = [];
  let from = 0;
  for (; at >= 0; at = json.indexOf(OPENING, from)) {
    const start = at + OPENING.length;
    const end = stringEnd(json, start);
    pieces.push(json.slice(from, at), unquoted(json.slice(start, end)));
    from = end + "}".length;
  }
  return pieces.join("") + json.slice(from);
}

const [QUOTE, BACKSLASH] = [34, 92];

/** The end of the string that begins at `start`. */
function stringEnd(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

function unquoted(string: string): string {
  return string.includes("\\") ? String(JSON.parse(string)) : string.slice(1, -1);
}

/** The value of a valid JSON text, with numbers that a double would change as raw texts. */
export function parseExactly(text: string): unknown {
  return JSON.parse(hasChangedNumber(text) ? withRawNumbers(text) : text);
}

/** Strings are matched so that their content is left alone. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/gs;

/** Far faster than a parser that is called for each value. */
function withRawNumbers(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { 0: token, index } of text.matchAll(STRING_OR_NUMBER)) {
    if (token.charCodeAt(0) === QUOTE || !isChanged(token)) continue;
    pieces.push(text.slice(from, index), OPENING, '"', token, '"}');
    from = index + token.length;
  }
  return pieces.join("") + text.slice(from);
}

/** Numbers of 16 characters or with an exponent, in the position of a value. Shorter ones are written unchanged. */
const CANDIDATE = /[:,[\s](-?(?:[\d.]{16}|\d[\d.]*[eE])[\d.eE+-]*)/g;

/** Returns whether a JSON text has a number that a double would change. Text that only looks like one counts too. */
export function hasChangedNumber(text: string): boolean {
  for (const [, source = ""] of text.matchAll(CANDIDATE)) if (isChanged(source)) return true;
  return false;
}

function isChanged(source: string): boolean {
  const written = JSON.stringify(Number(source));
  if (written === source) return false;
  return written.length > source.length || decimalOf(written) !== decimalOf(source);
}

/** A raw number in a form to compare: a number if a double represents it, otherwise one canonical spelling. */
export function comparable(source: string): number | RawJson {
  const written = JSON.stringify(Number(source));
  const decimal = decimalOf(source);
  return decimalOf(written) === decimal ? Number(source) : rawJson(decimal);
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** No body is long enough for an exponent beyond this to matter. */
const MOST_EXPONENT_DIGITS = 15;

/** All digits without leading and trailing zeros, and the power of ten: equal for all spellings of one number. */
function decimalOf(source: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = NUMBER.exec(source) ?? [];
  if (whole === "" || exponent.length > MOST_EXPONENT_DIGITS) return source;
  const all = whole + fraction;
  let [first, end] = [0, all.length];
  while (first < end && all.charCodeAt(first) === ZERO) first += 1;
  while (end > first && all.charCodeAt(end - 1) === ZERO) end -= 1;
  if (first === end) return "0";
  return `${sign}${all.slice(first, end)}e${Number(exponent) - fraction.length + (all.length - end)}`;
}

const ZERO = 48;
