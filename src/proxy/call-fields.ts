import type { CallFields } from "../adapters/governed-call.ts";
import type { WireRefusal } from "../adapters/refusal-response.ts";
import { CALLER_FIELDS, type CallerField, type ProxyOptions, SET_BY_ANYONE } from "./options.ts";

const PREFIX = "x-sluice-";
const REQUEST_ID = /^[ -~]{1,128}$/;

/** What a call is for, as its key and its headers say. */
export interface CallFacts {
  readonly fields: CallFields;
  /** Null: it is estimated from its body. */
  readonly estimateUsd: string | null;
}

function headerOf(field: CallerField): string {
  return PREFIX + field.replaceAll("_", "-");
}

/** A header that the caller may not set, or that nobody knows, is refused: it was sent to have an effect. */
export function callFactsOf(
  headers: Headers,
  keyId: string,
  { callerSets = SET_BY_ANYONE, keyFields = {} }: ProxyOptions,
): CallFacts | WireRefusal {
  const allowed = new Map(callerSets.map((field) => [headerOf(field), field]));
  const known = new Set(CALLER_FIELDS.map(headerOf));
  const told: { -readonly [Field in keyof CallFields]?: CallFields[Field] } = {};
  let estimateUsd: string | null = null;
  for (const [name, value] of headers) {
    if (!name.startsWith(PREFIX)) continue;
    const field = allowed.get(name);
    if (field === undefined) return known.has(name) ? notAllowed(name) : unknown(name);
    if (field === "tags") {
      const tags = tagsIn(value);
      if (tags === null)
        return malformed(name, "must be name=value pairs with a comma between them, each name once");
      told.tags = tags;
    } else if (value.includes(",")) return malformed(name, "must be sent once, and must not contain a comma");
    else if (field === "request_id" && !REQUEST_ID.test(value))
      return malformed(name, "must be 1 to 128 printable ASCII characters");
    else if (field === "estimate_usd") estimateUsd = value;
    else told[field] = value;
  }
  const own = Object.hasOwn(keyFields, keyId) ? keyFields[keyId] : {};
  return { fields: { ...told, ...own }, estimateUsd };
}

/** Such as `team=search,feature=chat`, with values percent-encoded. */
function tagsIn(text: string): Record<string, string> | null {
  const tags = new Map<string, string>();
  for (const pair of text.split(",")) {
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(0, at)).trim();
    if (at < 0 || tags.has(name)) return null;
    try {
      tags.set(name, decodeURIComponent(pair.slice(at + 1).trim()));
    } catch {
      return null;
    }
  }
  return Object.fromEntries(tags);
}

function notAllowed(name: string): WireRefusal {
  const message = `This proxy does not let callers set ${name}. Leave it out, or ask its operator to allow it.`;
  return { status: 403, code: "forbidden", message, details: {} };
}

function unknown(name: string): WireRefusal {
  const message = `${name} is not a header of this proxy. It knows ${CALLER_FIELDS.map(headerOf).join(", ")}.`;
  return { status: 400, code: "bad_request", message, details: {} };
}

function malformed(field: string, message: string): WireRefusal {
  const fields = [{ field, code: "invalid_format", message }];
  return { status: 422, code: "validation_failed", message: "Some fields are invalid.", details: { fields } };
}
