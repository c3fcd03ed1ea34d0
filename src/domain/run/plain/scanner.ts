const encoder = new TextEncoder();

const QUOTE = 34;
export const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
export const OPEN = 123;
export const CLOSE = 125;
const ZERO = 48;
const NINE = 57;
const SPACE = 32;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const TAB = 9;
const LAST_PRINTABLE = 126;
const SECOND_CHARACTERS = 19;
const MOST_FRACTION_DIGITS = 9;
const POINT = 46;
const LETTER_Z = 90;
const PLAIN_TIME = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/;
const LONGEST_TIME = 30;
/** So many digits are always exact. */
const MOST_DIGITS = 15;

const LONGEST_KEY = 32;

const KEPT_BYTES = 1_048_576;
/** Of a character. With so many to spare, a text with others than ASCII always takes more bytes than it has characters. */
const MOST_BYTES_EACH = 4;
const WORD_BYTES = 8;
let kept: Uint8Array<ArrayBuffer> | null = null;

/** The characters of a text, if all are ASCII. Valid until the next call. The bytes after them are left of earlier texts. */
function asciiOf(text: string): Uint8Array<ArrayBuffer> | null {
  const needed = text.length + MOST_BYTES_EACH;
  const bytes = needed > KEPT_BYTES ? new Uint8Array(needed) : (kept ??= new Uint8Array(KEPT_BYTES));
  return encoder.encodeInto(text, bytes).written === text.length ? bytes : null;
}

/** A member of an object: which field it is, where it was in the object before, and its value if it may be repeated. */
export interface Member {
  /** -1: not known. */
  field: number;
  from: number;
  keyLength: number;
  /** The length of the whole member. 0 if its value is not known. */
  length: number;
  value: unknown;
  /** The number of the object that it was last in. */
  object: number;
}

/** The members of the object before, in their order. */
export class Members {
  readonly #all: Member[] = [];

  at(index: number): Member {
    const there = this.#all[index];
    if (there !== undefined) return there;
    const made: Member = { field: -1, from: 0, keyLength: 0, length: 0, value: undefined, object: -1 };
    this.#all.push(made);
    return made;
  }
}

/** Reads JSON of ASCII characters without escapes. It does not judge a body that it does not read. */
export class Scanner {
  readonly text: string;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  /** Each name that was read, as a text of its own: a part of a text keeps all of it in memory. */
  readonly #names = new Map<string, string>();

  private constructor(text: string, bytes: Uint8Array<ArrayBuffer>) {
    this.text = text;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }

  /** Null if the text has other characters too. Of all scanners, only the last may be used. */
  static of(text: string): Scanner | null {
    const bytes = asciiOf(text);
    return bytes === null ? null : new Scanner(text, bytes);
  }

  /** Returns whether nothing follows a list, which was just passed, but the end of the object that it is in. */
  isAfterList(): boolean {
    if (this.#bytes[this.#at - 1] !== CLOSE_LIST || this.next() !== CLOSE) return false;
    this.skipSpace();
    return this.#at === this.text.length;
  }

  /** The next character that is not white space, which is passed. */
  next(): number {
    const bytes = this.#bytes;
    let code = bytes[this.#at++] ?? 0;
    while (isSpace(code)) code = bytes[this.#at++] ?? 0;
    return code;
  }

  skipSpace(): void {
    while (isSpace(this.#bytes[this.#at] ?? 0)) this.#at += 1;
  }

  /** Returns whether a text that is expected follows. It is passed. */
  passes(expected: string): boolean {
    if (!this.text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  /** Passes a member that is the same as it was in the object before. */
  repeats(member: Member): boolean {
    if (member.length === 0 || !this.#isLike(member.from, member.length)) return false;
    member.from = this.#at;
    this.#at += member.length;
    return true;
  }

  /** Reads a key and its colon. -1: it is no field. Most objects have the keys of the object before, in the same order. */
  key(member: Member, fields: ReadonlyMap<string, number>): number {
    const from = this.#at;
    member.length = 0;
    if (member.field !== -1 && this.#isLike(member.from, member.keyLength)) {
      member.from = from;
      this.#at += member.keyLength;
      return member.field;
    }
    member.field = -1;
    const name = this.passing(LONGEST_KEY);
    const field = name === null ? undefined : fields.get(name);
    if (field === undefined || this.next() !== COLON) return -1;
    this.skipSpace();
    member.field = field;
    member.from = from;
    member.keyLength = this.#at - from;
    return field;
  }

  /** Keeps the value of a member that was just read. */
  keep(member: Member, value: unknown): void {
    member.value = value;
    member.length = this.#at - member.from;
  }

  /** A text of one to so many printable characters. It keeps all of what was read in memory. */
  passing(most: number): string | null {
    const from = this.#at + 1;
    const end = this.#bytes[this.#at] === QUOTE ? this.#endOfText(from, most) : -1;
    if (end <= from) return null;
    this.#at = end + 1;
    return this.text.slice(from, end);
  }

  /** The same, as a text of its own. */
  name(most: number): string | null {
    const read = this.passing(most);
    if (read === null) return null;
    let name = this.#names.get(read);
    if (name === undefined) {
      name = JSON.parse(`"${read}"`) as string;
      this.#names.set(name, name);
    }
    return name;
  }

  /** A whole number from 0 on. -1: there is none. */
  count(): number {
    const bytes = this.#bytes;
    const from = this.#at;
    let at = from;
    let value = 0;
    for (let code = bytes[at] ?? 0; code >= ZERO && code <= NINE; code = bytes[++at] ?? 0) {
      value = value * 10 + (code - ZERO);
    }
    const digits = at - from;
    if (digits === 0 || digits > MOST_DIGITS || (digits > 1 && bytes[from] === ZERO)) return -1;
    this.#at = at;
    return value;
  }

  /** A UTC time. Most are within the second of the one before, of which `second` says where it is. */
  time(second: { from: number }): string | null {
    const from = this.#at + 1;
    if (
      this.#bytes[this.#at] === QUOTE &&
      second.from > 0 &&
      this.#isSame(from, second.from, SECOND_CHARACTERS)
    ) {
      const end = this.#endOfTime(from + SECOND_CHARACTERS);
      if (end === -1) return null;
      second.from = from;
      this.#at = end + 1;
      return this.text.slice(from, end);
    }
    const time = this.passing(LONGEST_TIME);
    if (time === null || !PLAIN_TIME.test(time)) return null;
    second.from = from;
    return time;
  }

  /** Where the quote is, after a fraction of a second or none. -1: it ends otherwise. */
  #endOfTime(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    if (bytes[at] === POINT) {
      do at += 1;
      while ((bytes[at] ?? 0) >= ZERO && (bytes[at] ?? 0) <= NINE);
      const digits = at - from - 1;
      if (digits < 1 || digits > MOST_FRACTION_DIGITS) return -1;
    }
    return bytes[at] === LETTER_Z && bytes[at + 1] === QUOTE ? at + 1 : -1;
  }

  /** Where its quote is. -1: it is longer, or has other characters. */
  #endOfText(from: number, most: number): number {
    const bytes = this.#bytes;
    for (let at = from; at <= from + most; at += 1) {
      const code = bytes[at] ?? 0;
      if (code === QUOTE) return at;
      if (code < SPACE || code > LAST_PRINTABLE || code === BACKSLASH) return -1;
    }
    return -1;
  }

  #isLike(other: number, length: number): boolean {
    return this.#isSame(this.#at, other, length);
  }

  /** Eight characters at a time. As numbers they are equal exactly if they are the same, because no ASCII text is NaN or -0. */
  #isSame(one: number, other: number, length: number): boolean {
    if (one + length > this.text.length) return false;
    const view = this.#view;
    if (length < WORD_BYTES) return this.#isSameShort(one, other, length);
    const last = length - WORD_BYTES;
    for (let at = 0; at < last; at += WORD_BYTES) {
      if (view.getFloat64(one + at, true) !== view.getFloat64(other + at, true)) return false;
    }
    return view.getFloat64(one + last, true) === view.getFloat64(other + last, true);
  }

  #isSameShort(one: number, other: number, length: number): boolean {
    const bytes = this.#bytes;
    for (let at = 0; at < length; at += 1) if (bytes[one + at] !== bytes[other + at]) return false;
    return true;
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB;
}
