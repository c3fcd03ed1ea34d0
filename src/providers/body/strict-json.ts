import { isJsonObject, type JsonObject } from "../json.ts";
import { Unmetered } from "../unmetered.ts";

/** Far deeper than any call of a provider. */
const DEEPEST = 64;

/**
 * A body that has one reading only. `JSON.parse` keeps the last of two members with one name, other parsers keep the first or
 * ignore case, and what is metered must be what the provider reads. So repeated names are refused at any depth, and so are names
 * at the top that differ from a known one only in case, and numbers that are not exact once they are parsed.
 */
export function parseStrictJson(text: string, known: ReadonlySet<string>): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch {
    throw new Unmetered(400, "The body is not valid JSON.");
  }
  if (!isJsonObject(value)) throw new Unmetered(400, "The body must be a JSON object.");
  refuseOtherSpellings(Object.keys(value), known);
  const problem = new Scan(text).problem();
  if (problem !== null) throw new Unmetered(400, problem);
  return value;
}

/** By the names that an API knows, each of them without its case. Made once, and not for every call. */
const spellings = new WeakMap<ReadonlySet<string>, ReadonlyMap<string, string>>();

function spellingsOf(known: ReadonlySet<string>): ReadonlyMap<string, string> {
  let folded = spellings.get(known);
  if (folded === undefined) {
    folded = new Map(Array.from(known, (name) => [caseFolded(name), name]));
    spellings.set(known, folded);
  }
  return folded;
}

/** Refuses names that differ from a known one only in case. */
export function refuseOtherSpellings(names: readonly string[], known: ReadonlySet<string>): void {
  const folded = spellingsOf(known);
  for (const name of names) {
    const meant = folded.get(caseFolded(name));
    if (meant !== undefined && meant !== name)
      throw new Unmetered(400, `The body has a member ${quoted(name)}. Write it as "${meant}".`);
  }
}

/** Refuses members that a list does not have. One without a value says nothing. */
export function refuseUnlisted(object: JsonObject, known: ReadonlySet<string>): void {
  const names = Object.keys(object);
  refuseOtherSpellings(names, known);
  const unlisted = names.find((name) => !known.has(name) && object[name] !== null);
  if (unlisted !== undefined)
    throw new Unmetered(403, `${quoted(unlisted)} is not metered by this proxy. Leave it out.`);
}

/** As parsers that ignore case compare names: some characters beyond ASCII stand for a letter of it. */
function caseFolded(name: string): string {
  return name.toLowerCase().toUpperCase();
}

const LONGEST_QUOTED = 64;

export function quoted(name: string): string {
  return JSON.stringify(name.length > LONGEST_QUOTED ? `${name.slice(0, LONGEST_QUOTED)}…` : name);
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A member's name is the string that a colon follows. */
const COLON = /[ \t\n\r]*:/y;

/** One pass over text that is known to be valid JSON. */
class Scan {
  readonly #text: string;
  /** The names of each object that is open. An array has none. */
  readonly #open: (Set<string> | null)[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  problem(): string | null {
    const text = this.#text;
    while (this.#at < text.length) {
      const problem = this.#token(text.charCodeAt(this.#at));
      if (problem !== null) return problem;
    }
    return null;
  }

  #token(code: number): string | null {
    if (code === 0x22) return this.#string();
    if (code === 0x2d || (code >= 0x30 && code <= 0x39)) return this.#number();
    this.#at += 1;
    if (code === 0x7b || code === 0x5b) {
      this.#open.push(code === 0x7b ? new Set() : null);
      if (this.#open.length > DEEPEST) return `The body is nested deeper than ${DEEPEST} levels.`;
    } else if (code === 0x7d || code === 0x5d) this.#open.pop();
    return null;
  }

  #string(): string | null {
    const from = this.#at;
    let end = from + 1;
    for (;;) {
      end = this.#text.indexOf('"', end);
      if (!this.#isEscaped(end, from)) break;
      end += 1;
    }
    this.#at = end + 1;
    const names = this.#open.at(-1);
    COLON.lastIndex = this.#at;
    if (!names || !COLON.test(this.#text)) return null;
    const raw = this.#text.slice(from, this.#at);
    const name = raw.includes("\\") ? (JSON.parse(raw) as string) : raw.slice(1, -1);
    if (names.has(name)) return `The body has the member ${quoted(name)} twice.`;
    names.add(name);
    return null;
  }

  /** A quote after an odd number of backslashes is part of the string. */
  #isEscaped(quote: number, from: number): boolean {
    let at = quote - 1;
    while (at > from && this.#text.charCodeAt(at) === 0x5c) at -= 1;
    return (quote - 1 - at) % 2 === 1;
  }

  #number(): string | null {
    NUMBER.lastIndex = this.#at;
    const [number = "-"] = NUMBER.exec(this.#text) ?? [];
    this.#at += number.length;
    const value = Number(number);
    const isExact = /^-?\d+$/.test(number) ? Number.isSafeInteger(value) : Number.isFinite(value);
    return isExact ? null : "The body has a number that is too large to be read exactly.";
  }
}
