import type { AnswerApi } from "../providers/provider-api.ts";
import { eventIn } from "../providers/usage/reading.ts";

const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** The event with the usage is a few hundred bytes. Longer ones pass as they come. */
const MOST_HELD_BYTES = 65_536;
/** The name that the event has in it. */
const NAME = "usage";

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
  /** True if the name may be in what is held. */
  #isNamed = false;
  /** The last few characters that came: the name may have begun in them. */
  #lastText = "";
  /** The ends of lines that came last, up to four. */
  #lineEnds = 0;

  constructor(api: AnswerApi) {
    this.#api = api;
  }

  shown(chunk: Uint8Array): Uint8Array {
    const out: Uint8Array[] = [];
    const text = this.#lastText + decoder.decode(chunk);
    this.#lastText = text.slice(1 - NAME.length);
    const hasName = text.includes(NAME);
    let [shownFrom, from] = [0, 0];
    for (const end of this.#eventEnds(chunk)) {
      const isHidden = (hasName || this.#isNamed) && this.#isUsageEvent(chunk.subarray(from, end));
      if (!isHidden) out.push(...(this.#held ?? []));
      else if (shownFrom < from) out.push(chunk.subarray(shownFrom, from));
      this.#begin();
      from = end;
      if (isHidden) shownFrom = from;
    }
    if (shownFrom < from) out.push(chunk.subarray(shownFrom, from));
    if (from < chunk.length) this.#hold(chunk.subarray(from), out);
    this.#isNamed ||= hasName;
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
    this.#isNamed = false;
  }

  /**
   * Where events end: behind two ends of lines after each other, `\n\n`, `\r\r` or `\r\n\r\n`. The runtime finds the ends of lines:
   * a loop over all bytes takes ten times as long until it is compiled, which in a proxy with few calls it never is.
   */
  #eventEnds(chunk: Uint8Array): number[] {
    const ends: number[] = [];
    let newline = chunk.indexOf(NEWLINE);
    let carriage = chunk.indexOf(RETURN);
    let from = 0;
    while (newline >= 0 || carriage >= 0) {
      const isNewline = carriage < 0 || (newline >= 0 && newline < carriage);
      const at = isNewline ? newline : carriage;
      if (at > from) this.#lineEnds = 0;
      from = at + 1;
      if (this.#isEventEnd(isNewline)) ends.push(from);
      if (isNewline) newline = chunk.indexOf(NEWLINE, from);
      else carriage = chunk.indexOf(RETURN, from);
    }
    if (from < chunk.length) this.#lineEnds = 0;
    return ends;
  }

  /** Whether an event ends with the end of a line, behind those that came right before it. */
  #isEventEnd(isNewline: boolean): boolean {
    const ends = ((this.#lineEnds << 2) | (isNewline ? 1 : 2)) & 0xff;
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
    if (!text.includes(NAME)) return false;
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
