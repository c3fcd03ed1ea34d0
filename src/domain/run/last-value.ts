import { parseTimestamp } from "../../contract/shapes.ts";
import { isWithin } from "../time/instant.ts";

const SECOND_CHARACTERS = 19;
const MOST_DIGITS = 9;
const POINT = 46;
const LETTER_Z = 90;
const PLAIN_TIME = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/;

/** What was well-formed in an earlier run of the batch: most runs repeat it, and comparing is faster than checking. */
export class LastValue {
  readonly #isWellFormed: (value: unknown) => boolean;
  /** Equal to no value at first, not even to itself. */
  #last: unknown = Number.NaN;

  constructor(isWellFormed: (value: unknown) => boolean) {
    this.#isWellFormed = isWellFormed;
  }

  /** Whether a value that is there is well-formed. */
  accepts(value: unknown): boolean {
    if (value === this.#last) return true;
    if (!this.#isWellFormed(value)) return false;
    this.#last = value;
    return true;
  }
}

/** How a time begins that was well-formed in an earlier run, up to its second. */
export class LastSecond {
  #last: string | null = null;

  accepts(value: unknown): boolean {
    if (typeof value !== "string") return false;
    if (this.#last !== null && isWithin(value, this.#last) && endsPlainly(value)) return true;
    if (PLAIN_TIME.test(value)) this.#last = value.slice(0, SECOND_CHARACTERS);
    else if (parseTimestamp(value) === null) return false;
    return true;
  }
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

export function isTime(value: unknown): boolean {
  return typeof value === "string" && (PLAIN_TIME.test(value) || parseTimestamp(value) !== null);
}
