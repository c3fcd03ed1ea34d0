import { JSON_MEDIA } from "../../contract/bounds.ts";
import { DECISION } from "../../contract/decision.ts";

/** What a decoder puts in the place of bytes that are not UTF-8. A text may also have it by right. */
const REPLACEMENT = "\ufffd";
const BYTE_ORDER_MARK = "\ufeff";
const BYTE_ORDER_MARK_BYTES = 3;
const NOT_UTF_8 = Uint8Array.of(0xff);

const encoder = new TextEncoder();

/**
 * The body that a text was read from, for whoever reads it again: reading text costs less than reading bytes, and nearly
 * every body is read once. A decoder drops a byte order mark, and replaces bytes that are not UTF-8. Only the length tells
 * a replacement character from one that was sent; of a body that is not UTF-8, all that matters is that it is none.
 */
export function bytesOf(text: string, declaredBytes: number): Uint8Array<ArrayBuffer> {
  const bytes = encoder.encode(text);
  const missing = declaredBytes - bytes.byteLength;
  if (missing === BYTE_ORDER_MARK_BYTES) return encoder.encode(BYTE_ORDER_MARK + text);
  return missing !== 0 && text.includes(REPLACEMENT) ? NOT_UTF_8 : bytes;
}

/** The declared length of a body that can be read as a whole and as plain JSON. Null leaves it to the pipeline. */
export function plainLength(headers: Headers): number | null {
  const length = headers.get("content-length");
  if (length === null || Number(length) > DECISION.mostBodyBytes) return null;
  return headers.get("content-type") === JSON_MEDIA ? Number(length) : null;
}

/** The request with its body as it came. */
export function again(request: Request, body: Uint8Array<ArrayBuffer> | ReadableStream): Request {
  return new Request(request, { method: DECISION.method, body });
}

/** A body that breaks off like the client's. */
export function cutOff(): ReadableStream {
  return new ReadableStream({ pull: (stream) => stream.error(new Error("the upload was broken off")) });
}
