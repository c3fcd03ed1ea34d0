import type { AnswerApi } from "../providers/provider-api.ts";
import { eventIn } from "../providers/usage/reading.ts";

const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** The event with the usage is a few hundred bytes. Longer ones pass as they come. */
const MOST_HELD_BYTES = 65_536;

/**
 * Takes the event out of a stream that tells its usage, for a caller that did not ask for one. All other bytes pass unchanged,
 * each event when it is complete.
 */
export class UsageEventFilter {
  readonly #api: AnswerApi;
  /** The beginning of an event whose end has not come. Null: the event is too long to be the one, and passes. */
  #held: Uint8Array[] | null = [];
  #heldBytes = 0;
  /** The bytes at the end of what came that could be half of an event's end. */
  #tail: number[] = [];

  constructor(api: AnswerApi) {
    this.#api = api;
  }

  shown(chunk: Uint8Array): Uint8Array {
    const out: Uint8Array[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      if (!this.#endsEvent(chunk[at] ?? 0)) continue;
      this.#hold(chunk.subarray(from, at + 1), out);
      this.#release(out);
      from = at + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from), out);
    return joined(out);
  }

  /** What is left of a stream that ended within an event. */
  rest(): Uint8Array {
    const held = joined(this.#held ?? []);
    this.#held = [];
    this.#heldBytes = 0;
    return held;
  }

  /** Two ends of lines after each other: `\n\n`, `\r\r` or `\r\n\r\n`. */
  #endsEvent(byte: number): boolean {
    if (byte !== NEWLINE && byte !== RETURN) {
      this.#tail = [];
      return false;
    }
    this.#tail.push(byte);
    const ends = String.fromCharCode(...this.#tail);
    const isEnd = ends.endsWith("\n\n") || ends.endsWith("\r\r") || ends.endsWith("\r\n\r\n");
    if (isEnd) this.#tail = [];
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

  #release(out: Uint8Array[]): void {
    const event = this.#held === null ? new Uint8Array() : joined(this.#held);
    if (event.byteLength > 0 && !this.#isUsageEvent(event)) out.push(event);
    this.#held = [];
    this.#heldBytes = 0;
  }

  #isUsageEvent(bytes: Uint8Array): boolean {
    const text = decoder.decode(bytes);
    if (!text.includes("usage")) return false;
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
