import { createHash } from "node:crypto";
import { JSON_MEDIA } from "../../contract/bounds.ts";
import { DECISION, MOST_BODY_BYTES_WITH_INPUT } from "../../contract/decision.ts";
import { fieldPath } from "../../contract/field-path.ts";
import {
  invalidField,
  invalidFields,
  isRefusal,
  MOST_FIELDS,
  type Refusal,
  refuse,
} from "../../contract/refusal.ts";
import { type BodyHold, type BodyOwner, unprovenOwner } from "../../domain/body/body-memory.ts";
import { discardBody } from "../../domain/body/read.ts";
import { UnreadBody } from "../../domain/body/timed.ts";
import { structureProblem, SURELY_BOUNDED_CHARACTERS } from "../../domain/text/json-bounds.ts";
import { illFormedPaths, spellsLoneSurrogate } from "../../domain/text/unicode.ts";
import type { Call } from "./call.ts";

import { BODY_BOUNDS, holdBody, readHeld, refuseUnread } from "./read-bounded.ts";
import { internalCaller } from "../identity/internal-caller.ts";

function limitOf(call: Call): number {
  if (call.op.bodyLimit === "decision") return MOST_BODY_BYTES_WITH_INPUT;
  return call.op.bodyLimit === "bulk"
    ? call.settings.SVC_MAX_BULK_BODY_BYTES
    : call.settings.SVC_MAX_BODY_BYTES;
}

/** Reads a body as its caller's. Its memory is held until the call has its answer. */
export async function readOwn<T>(
  call: Call,
  read: (hold: BodyHold) => Promise<T>,
): Promise<T | Refusal<"bad_request" | "service_unavailable">> {
  try {
    call.bodyHold = holdBody(call.request, call.settings, ownerOf(call));
    return await read(call.bodyHold);
  } catch (error) {
    if (!(error instanceof UnreadBody)) throw error;
    call.isCutOff = error.reason === "broken";
    return refuseUnread(error);
  }
}

function ownerOf(call: Call): BodyOwner {
  const { caller } = call;
  if (caller === null) return unprovenOwner(call.address);
  return { org: caller.org?.id ?? caller.actor.kind, key: caller.actor.id };
}

/** The whole body. One that breaks off, is too large, or comes too slowly is refused. */
export async function readBytes(call: Call): Promise<Uint8Array<ArrayBuffer> | Refusal> {
  const bytes = await readOwn(call, (hold) => readHeld(call.request, limitOf(call), hold));
  return bytes ?? refuse("payload_too_large");
}

export function refuseNotUtf8(): Refusal {
  return invalidField("body", "invalid_json", "must be UTF-8 text");
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

export async function readText(call: Call): Promise<string | Refusal> {
  const bytes = await readBytes(call);
  if (isRefusal(bytes)) return bytes;
  call.bodyBytes = bytes.byteLength;
  try {
    return utf8.decode(bytes);
  } catch {
    return refuseNotUtf8();
  }
}

/** With or without parameters, in upper or lower case. */
const JSON_TYPE = new RegExp(String.raw`^${JSON_MEDIA}\s*(;|$)`, "i");
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/gi;

/** JSON is UTF-8. A body with another charset would be read as different text than was sent. */
export function mediaProblem(contentType: string | null): string | null {
  if (contentType === null || !JSON_TYPE.test(contentType.trim())) return `must be ${JSON_MEDIA}`;
  const charsets = [...contentType.matchAll(CHARSET)].map(([, charset = ""]) => charset.toLowerCase());
  const isUtf8 = charsets.every((charset) => charset === "utf-8" || charset === "utf8");
  return isUtf8 ? null : `must be ${JSON_MEDIA} in UTF-8, with charset=utf-8 or none`;
}

function refuseStructure(text: string): Refusal | null {
  const problem = structureProblem(text);
  return problem === null ? null : invalidField("body", "invalid_body", problem);
}

function parseJson(text: string): { value: unknown } | Refusal {
  const refusal = refuseStructure(text);
  if (refusal !== null) return refusal;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return invalidField("body", "invalid_json", "must be valid JSON");
  }
  return spellsLoneSurrogate(text) ? refuseIllFormed(value) : { value };
}

/** Names the fields. Names the body if the bad field was replaced by a later one of the same name. */
function refuseIllFormed(value: unknown): Refusal {
  const fields = illFormedPaths(value, MOST_FIELDS).map(fieldPath);
  return invalidFields(
    (fields.length === 0 ? ["body"] : fields).map((field) => ({
      field,
      code: "invalid_format",
      message: "must be well-formed Unicode, but contains an unpaired surrogate",
    })),
  );
}

export async function readBody(call: Call): Promise<Refusal | null> {
  const malformed = await readParsed(call);
  return call.op.bodyLimit === "decision" && isLongWithoutInput(call)
    ? refuse("payload_too_large")
    : malformed;
}

/** A decision is short, except for the input that it has scanned. */
export function isLongWithoutInput({ bodyBytes, body }: Call): boolean {
  if (bodyBytes <= DECISION.mostBodyBytes) return false;
  return typeof body !== "object" || body === null || !("input" in body);
}

async function readParsed(call: Call): Promise<Refusal | null> {
  const { request, op } = call;
  if (op.ignoresBody === true) {
    await discardBody(request, BODY_BOUNDS);
    return null;
  }
  // The body of a GET has no meaning, and intermediaries often drop it.
  if (op.method === "GET" || op.streamedBody !== undefined) return null;
  const text = await readText(call);
  if (isRefusal(text)) return text;
  call.rawBody = text;
  if (op.body === undefined) return refuseAnyBody(text);
  if (text === "" && op.body.safeParse({}).success) {
    call.body = {};
    return null;
  }
  const problem = text === "" ? null : mediaProblem(request.headers.get("content-type"));
  if (problem !== null) return invalidField("content-type", "invalid_content_type", problem);
  call.read = op.reader?.(text) ?? null;
  if (call.read !== null) return null;
  if (op.lazyBody !== true || spellsLoneSurrogate(text)) return parseBody(call);
  return text.length > SURELY_BOUNDED_CHARACTERS ? refuseStructure(text) : null;
}

/** Some clients send `{}` as an empty body. Anything else would be silently dropped, so it is refused. */
function refuseAnyBody(text: string): Refusal | null {
  if (text === "" || /^(\{\s*\})?$/.test(text.trim())) return null;
  return invalidField("body", "invalid_body", "must be empty, because this operation takes no body");
}

export function parseBody(call: Call): Refusal | null {
  const parsed = parseJson(call.rawBody);
  if (isRefusal(parsed)) return parsed;
  if (typeof parsed.value !== "object" || parsed.value === null || Array.isArray(parsed.value)) {
    return invalidField("body", "invalid_body", "must be a JSON object");
  }
  call.body = parsed.value;
  return null;
}

/** An empty header is a client's mistake: it meant to guard the change, and lost the version that it knew. */
export function checkIfMatch(call: Call): Refusal | null {
  if (call.op.ifMatch !== true || call.request.headers.get("if-match")?.trim() !== "") return null;
  return invalidField(
    "if-match",
    "empty",
    "must be an ETag or *. To change whatever is there, omit the header",
  );
}

/**
 * 1 to 255 printable ASCII characters. Requests with the same key are compared by query and raw body. For calls that
 * this Worker makes to itself for a form, every operation honours a key, so that a form sent twice acts once.
 */
export function readIdempotencyKey(call: Call): Refusal | null {
  if (call.op.idempotent !== true && internalCaller(call.request) === null) return null;
  const key = call.request.headers.get("idempotency-key");
  // A key that has ended gets no answer that others got.
  if (key === null || call.caller?.ended !== undefined) return null;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    return invalidField("idempotency-key", "invalid_format", "must be 1 to 255 printable ASCII characters");
  }
  call.idempotencyKey = key;
  call.digest = createHash("sha256")
    .update(new URL(call.url).search)
    .update("\n")
    .update(call.rawBody)
    .digest("hex");
  return null;
}
