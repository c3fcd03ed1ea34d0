import { parseTimestamp } from "../../contract/shapes.ts";
import { isWithin } from "../time/instant.ts";

const SECOND_CHARACTERS = 19;
const MOST_DIGITS = 9;
const POINT = 46;
const LETTER_Z = 90;
const PLAIN_TIME = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/;

/** Checks whether the value of a field is well-formed. */
export type Check = (value: unknown) => boolean;

/** A check that knows the last value that passed: most runs of a batch repeat it, and comparing is faster than checking. */
export function lastValue(isWellFormed: Check): Check {
  // Equal to no value at first, not even to itself.
  let last: unknown = Number.NaN;
  return (value) => {
    if (value === last) return true;
    if (!isWellFormed(value)) return false;
    last = value;
    return true;
  };
}

/** The same for times, up to the second. */
export function lastSecond(): Check {
  let last: string | null = null;
  return (value) => {
    if (typeof value !== "string") return false;
    if (last !== null && isWithin(value, last) && endsPlainly(value)) return true;
    if (PLAIN_TIME.test(value)) last = value.slice(0, SECOND_CHARACTERS);
    else if (parseTimestamp(value) === null) return false;
    return true;
  };
}

/** After its second, a plain time has at most a fraction of one to nine digits. */
function endsPlainly(text: string): boolean {
  const end = text.length - 1;
  if (text.charCodeAt(end) !== LETTER_Z) return false;
  if (end === SECOND_CHARACTERS) return true;
  const digits = end - SECOND_CHARACTERS - 1;
  if (text.charCodeAt(SECOND_CHARACTERS) !== POINT || digits < 1 || digits > MOST_DIGITS) return false;
  for (let at = SECOND_CHARACTERS + 1; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) return false;
  }
  return true;
}
