import type { AnswerApi } from "../providers/provider-api.ts";
import { eventIn } from "../providers/usage/reading.ts";

const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** The event with the usage is a few hundred bytes. Longer ones pass as they come. */
const MOST_HELD_BYTES = 65_536;
/** The name that the event has in it. None of its letters comes twice, so a search for it never goes back. */
const NAME = new TextEncoder().encode("usage");

/** Ends of lines after each other, two bits for each: 1 is a newline and 2 a return. */
const TWO_NEWLINES = 0b0101;
const TWO_RETURNS = 0b1010;
const TWO_OF_BOTH = 0b10_01_10_01;

/**
 * Takes the event out of a stream that tells its usage, for a caller that did not ask for one. All other bytes pass unchanged,
 * each event when it is complete. Whole events pass as they are, without a copy: only one with the name in it is read.
 */
export class UsageEventFilter {
  readonly #api: AnswerApi;
  /** The beginning of an event whose end has not come. Null: the event is too long to be the one, and passes. */
  #held: Uint8Array[] | null = [];
  #heldBytes = 0;
  /** The ends of lines that came last, up to four. */
  #lineEnds = 0;
  /** How many letters of the name came last, and whether all of them have come in this event. */
  #letters = 0;
  #hasName = false;

  constructor(api: AnswerApi) {
    this.#api = api;
  }

  shown(chunk: Uint8Array): Uint8Array {
    const out: Uint8Array[] = [];
    let [shownFrom, from] = [0, 0];
    for (let at = 0; at < chunk.length; at += 1) {
      if (!this.#endsEvent(chunk[at] ?? 0)) continue;
      const isHidden = this.#hasName && this.#isUsageEvent(chunk.subarray(from, at + 1));
      if (!isHidden) out.push(...(this.#held ?? []));
      else if (shownFrom < from) out.push(chunk.subarray(shownFrom, from));
      this.#begin();
      from = at + 1;
      if (isHidden) shownFrom = from;
    }
    if (shownFrom < from) out.push(chunk.subarray(shownFrom, from));
    if (from < chunk.length) this.#hold(chunk.subarray(from), out);
    return joined(out);
  }

  /** Returns the rest of a stream that ended within an event. */
  rest(): Uint8Array {
    const held = joined(this.#held ?? []);
    this.#begin();
    return held;
  }

  #begin(): void {
    this.#held = [];
    this.#heldBytes = 0;
    this.#hasName = false;
  }

  /** Two ends of lines after each other: `\n\n`, `\r\r` or `\r\n\r\n`. */
  #endsEvent(byte: number): boolean {
    if (byte !== NEWLINE && byte !== RETURN) {
      this.#lineEnds = 0;
      if (byte === NAME[this.#letters]) this.#letters += 1;
      else this.#letters = byte === NAME[0] ? 1 : 0;
      this.#hasName ||= this.#letters === NAME.length;
      return false;
    }
    this.#letters = 0;
    const ends = ((this.#lineEnds << 2) | (byte === NEWLINE ? 1 : 2)) & 0xff;
    const lastTwo = ends & 0b1111;
    const isEnd = lastTwo === TWO_NEWLINES || lastTwo === TWO_RETURNS || ends === TWO_OF_BOTH;
    this.#lineEnds = isEnd ? 0 : ends;
    return isEnd;
  }

  #hold(bytes: Uint8Array, out: Uint8Array[]): void {
    this.#heldBytes += bytes.byteLength;
    if (this.#held !== null && this.#heldBytes > MOST_HELD_BYTES) {
      out.push(...this.#held);
      this.#held = null;
    }
    // A chunk may be reused by whoever reads it next.
    if (this.#held === null) out.push(bytes);
    else this.#held.push(bytes.slice());
  }

  #isUsageEvent(end: Uint8Array): boolean {
    if (this.#held === null || this.#heldBytes + end.byteLength > MOST_HELD_BYTES) return false;
    const text = decoder.decode(joined([...this.#held, end]));
    const data = text
      .split(/\r\n|\r|\n/)
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice(5).trimStart())
      .join("\n");
    const event = eventIn(data);
    return event !== null && this.#api.readEvent?.(event).isUsageEvent === true;
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1 && parts[0] !== undefined) return parts[0];
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
