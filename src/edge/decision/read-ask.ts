import { JSON_MEDIA } from "../../contract/bounds.ts";
import { DECISION } from "../../contract/decision.ts";
import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import { inTime } from "../../domain/body/timed.ts";
import { plainAsk } from "../../gate/decision/plain-ask.ts";
import { readOwn, readText, refuseNotUtf8 } from "../request/body.ts";
import type { Call } from "../request/call.ts";
import { BODY_BOUNDS } from "../request/read-bounded.ts";

/** Returns whether a body can be read before its caller is known: it is declared to be short. */
export function isShort({ headers }: Request): boolean {
  const length = headers.get("content-length");
  return length !== null && Number(length) <= DECISION.mostBodyBytes;
}

/** Reads the body, once. A body that the typed reader takes is the ask. Everything else is left as text, for the schema. */
export function readAsk(call: Call): Promise<Refusal | null> {
  return (call.reading ??= read(call));
}

async function read(call: Call): Promise<Refusal | null> {
  const { headers } = call.request;
  const length = headers.get("content-length");
  const isDeclaredShort = length !== null && Number(length) <= DECISION.mostBodyBytes;
  const text = await (isDeclaredShort ? readShort(call, Number(length)) : readText(call));
  if (isRefusal(text)) return text;
  call.rawBody = text;
  const isPlain = call.bodyBytes <= DECISION.mostBodyBytes && headers.get("content-type") === JSON_MEDIA;
  const ask = isPlain ? plainAsk(text) : null;
  if (ask !== null) call.body = ask;
  return null;
}

/** A decoder puts this character in the place of bytes that are not UTF-8. A text may also have it by right. */
const REPLACEMENT = "\ufffd";
const BYTE_ORDER_MARK_BYTES = 3;

/**
 * The runtime's own text costs half of bytes that are decoded. It drops a byte order mark, and replaces bytes that are not
 * UTF-8: only the length tells a replacement character from one that was sent.
 */
async function readShort(call: Call, declaredBytes: number): Promise<string | Refusal> {
  const text = await readOwn(call, () => inTime(call.request.text(), declaredBytes, BODY_BOUNDS));
  if (isRefusal(text)) return text;
  call.bodyBytes = declaredBytes;
  if (3 * text.length <= DECISION.mostBodyBytes && !text.includes(REPLACEMENT)) return text;
  call.bodyBytes = new TextEncoder().encode(text).byteLength;
  const missing = declaredBytes - call.bodyBytes;
  if (missing === BYTE_ORDER_MARK_BYTES) call.bodyBytes = declaredBytes;
  else if (missing !== 0 && text.includes(REPLACEMENT)) return refuseNotUtf8();
  return text;
}

/**
 * A body that the typed reader did not take is valid by the schema, or is refused with its reasons. The schema is
 * large, and loaded when it is first needed.
 */
export function validateAsk(call: Call): Promise<Refusal | null> | null {
  return call.body === undefined ? explained(call) : null;
}

async function explained(call: Call): Promise<Refusal | null> {
  const { explainAsk } = await import("./explain-ask.ts");
  return explainAsk(call);
}
