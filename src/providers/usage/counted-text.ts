import { isJsonObject } from "../json.ts";

/** English has some four bytes to a token. */
const BYTES_PER_TOKEN = 4;

/** Where the text is in what providers stream. Ids, roles and types are no output. */
const TEXTS = new Set([
  "content",
  "text",
  "refusal",
  "reasoning",
  "reasoning_content",
  "thinking",
  "partial_json",
  "arguments",
  "name",
  "input",
  "transcript",
  "delta",
  "completion",
]);

const encoder = new TextEncoder();

/** Output tokens by what was seen of them. A piece of a stream is at least one token. */
export class CountedText {
  #pieces = 0;
  #bytes = 0;

  get tokens(): number {
    return Math.max(this.#pieces, Math.ceil(this.#bytes / BYTES_PER_TOKEN));
  }

  /** Adds a piece of text, or an object with texts in it. */
  add(piece: unknown): void {
    const bytes = typeof piece === "string" ? bytesIn(piece) : bytesUnder(piece, 0);
    if (bytes > 0) this.#pieces += 1;
    this.#bytes += bytes;
  }
}

function bytesIn(text: string): number {
  return encoder.encode(text).byteLength;
}

const DEEPEST = 8;

function bytesUnder(value: unknown, depth: number): number {
  if (depth > DEEPEST) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + bytesUnder(item, depth + 1), 0);
  if (!isJsonObject(value)) return 0;
  let sum = 0;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== "string") sum += bytesUnder(member, depth + 1);
    else if (TEXTS.has(name)) sum += bytesIn(member);
  }
  return sum;
}
