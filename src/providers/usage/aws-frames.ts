import { isJsonObject, type JsonObject } from "../json.ts";
import { crc32 } from "./crc32.ts";

/** The lengths of the frame and of its headers, and the checksum of both. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** The longest frame that is read. An event of a model has a few hundred bytes. */
const MOST_BYTES = 1_048_576;

/** How many bytes a header's value has, by its type. The others say it themselves. */
const FIXED_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const BYTES_TYPE = 6;
const TEXT_TYPE = 7;

export function isAwsEventStream(contentType: string | null): boolean {
  return /^\s*application\/vnd\.amazon\.eventstream\b/i.test(contentType ?? "");
}

/**
 * The events of Amazon's binary event streams, read from their bytes as they pass, wherever chunks begin and end. An event is an
 * object with one member, which is named by its type. Nothing is read after a frame whose lengths cannot be believed, because
 * nobody knows where the next one begins.
 */
export class AwsFrames {
  /** Null if a frame could not be read. */
  readonly #onEvent: (event: JsonObject | null) => void;
  readonly #prelude = new Uint8Array(PRELUDE_BYTES);
  /** The frame that is being read. Null if its length is not known yet. */
  #frame: Uint8Array | null = null;
  #filled = 0;
  #isBroken = false;

  constructor(onEvent: (event: JsonObject | null) => void) {
    this.#onEvent = onEvent;
  }

  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.byteLength && !this.#isBroken;) {
      const into = this.#frame ?? this.#prelude;
      const part = chunk.subarray(from, from + into.byteLength - this.#filled);
      into.set(part, this.#filled);
      this.#filled += part.byteLength;
      from += part.byteLength;
      if (this.#filled === into.byteLength) this.#filledUp(into);
    }
  }

  #filledUp(bytes: Uint8Array): void {
    if (this.#frame === null) {
      this.#begin();
      return;
    }
    this.#frame = null;
    this.#filled = 0;
    this.#onEvent(eventIn(bytes));
  }

  #begin(): void {
    const length = lengthIn(this.#prelude);
    if (length === null) {
      this.#isBroken = true;
      this.#onEvent(null);
      return;
    }
    this.#frame = new Uint8Array(length);
    this.#frame.set(this.#prelude);
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The length of the frame that a prelude begins. Null if it cannot be believed, or the frame is too long. */
function lengthIn(prelude: Uint8Array): number | null {
  const view = viewOf(prelude);
  const [total, headers] = [view.getUint32(0), view.getUint32(4)];
  const isWhole = crc32(prelude.subarray(0, 8)) === view.getUint32(8);
  const isPossible = total <= MOST_BYTES && headers <= total - PRELUDE_BYTES - CHECKSUM_BYTES;
  return isWhole && isPossible ? total : null;
}

/** Null if the frame was changed on its way, or is no event. */
function eventIn(frame: Uint8Array): JsonObject | null {
  const view = viewOf(frame);
  const end = frame.byteLength - CHECKSUM_BYTES;
  if (crc32(frame.subarray(0, end)) !== view.getUint32(end)) return null;
  const headersEnd = PRELUDE_BYTES + view.getUint32(4);
  const headers = headersIn(frame.subarray(PRELUDE_BYTES, headersEnd));
  const payload = headers === null ? null : payloadIn(frame.subarray(headersEnd, end));
  if (headers === null || payload === null) return null;
  const type = headers.get(":message-type");
  const name = headers.get(":event-type");
  if (type === "event" && name !== undefined) return { [name]: payload };
  return type === "exception" || type === "error" ? { exception: payload } : null;
}

/** Returns the headers that are texts. Null if they cannot be read, or one comes twice. */
function headersIn(bytes: Uint8Array): ReadonlyMap<string, string> | null {
  const view = viewOf(bytes);
  const found = new Map<string, string>();
  try {
    for (let at = 0; at < bytes.byteLength;) {
      const nameEnd = at + 1 + view.getUint8(at);
      const name = textIn(bytes, at + 1, nameEnd);
      const type = view.getUint8(nameEnd);
      const isSized = type === BYTES_TYPE || type === TEXT_TYPE;
      const from = nameEnd + (isSized ? 3 : 1);
      const length = isSized ? view.getUint16(nameEnd + 1) : FIXED_BYTES[type];
      if (length === undefined || found.has(name)) return null;
      found.set(name, type === TEXT_TYPE ? textIn(bytes, from, from + length) : "");
      at = from + length;
    }
    return found;
  } catch {
    return null;
  }
}

/** Throws where there is no such text. */
function textIn(bytes: Uint8Array, from: number, to: number): string {
  if (to > bytes.byteLength) throw new RangeError("the text is cut");
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(from, to));
}

/** Null if there is no JSON object. */
function payloadIn(bytes: Uint8Array): JsonObject | null {
  try {
    const value = JSON.parse(textIn(bytes, 0, bytes.byteLength)) as unknown;
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
