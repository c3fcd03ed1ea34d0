import type { CallFields } from "../adapters/governed-call.ts";
import type { WireRefusal } from "../providers/wire-refusal.ts";
import { SLUICE_KEY_HEADER } from "./credentials.ts";
import { PROVIDER_KEY_HEADER } from "./org-keys.ts";
import { CALLER_FIELDS, type CallerField } from "./options.ts";

const PREFIX = "x-sluice-";
/** Say who calls and with which key, and nothing of the call. */
const NO_FIELDS: ReadonlySet<string> = new Set([SLUICE_KEY_HEADER, PROVIDER_KEY_HEADER]);
const REQUEST_ID = /^[ -~]{1,128}$/;

/** The facts that a caller states about its call in headers. */
export interface CallerHeaders {
  readonly fields: CallFields;
  /** Null: the call is estimated from its body. */
  readonly estimateUsd: string | null;
  /** Everything that it says something about. */
  readonly names: readonly CallerField[];
}

function headerOf(field: CallerField): string {
  return PREFIX + field.replaceAll("_", "-");
}

const FIELDS: ReadonlyMap<string, CallerField> = new Map(
  CALLER_FIELDS.map((field) => [headerOf(field), field]),
);

/** A header that nobody knows is refused: it was sent to have an effect. */
export function readCallerHeaders(headers: Headers): CallerHeaders | WireRefusal {
  const said = new Map<CallerField, string>();
  for (const [name, value] of headers) {
    if (!name.startsWith(PREFIX) || NO_FIELDS.has(name)) continue;
    const field = FIELDS.get(name);
    if (field === undefined) return unknown(name);
    if (field !== "tags" && value.includes(","))
      return malformed(name, "must be sent once, and must not contain a comma");
    if (field === "request_id" && !REQUEST_ID.test(value))
      return malformed(name, "must be 1 to 128 printable ASCII characters");
    said.set(field, value);
  }
  const tags = said.get("tags");
  const pairs = tags === undefined ? undefined : tagsIn(tags);
  if (pairs === null)
    return malformed(headerOf("tags"), "must be name=value pairs with a comma between them, each name once");
  const chain = chainIn(said);
  if (chain === null) return malformed(headerOf("parent_run_id"), `must come with ${headerOf("chain_id")}`);
  const {
    tags: _,
    chain_id: __,
    parent_run_id: ___,
    estimate_usd: estimateUsd = null,
    ...fields
  } = Object.fromEntries(said) as Partial<Record<CallerField, string>>;
  return { fields: { ...fields, tags: pairs, chain }, estimateUsd, names: [...said.keys()] };
}

function chainIn(said: ReadonlyMap<CallerField, string>): CallFields["chain"] | null {
  const [chain_id, parent_run_id] = [said.get("chain_id"), said.get("parent_run_id")];
  if (chain_id === undefined) return parent_run_id === undefined ? undefined : null;
  return { chain_id, parent_run_id };
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

/** Refuses a field that a caller may not set. */
export function refuseField(field: CallerField, isCounted: boolean): WireRefusal {
  const name = headerOf(field);
  const why = isCounted ? `, because a limit of your organization counts by ${field}` : "";
  const message = `This proxy does not let callers set ${name}${why}. Leave it out, or ask its operator to allow it in PROXY_CALLER_SETS.`;
  return { status: 403, code: "forbidden", message, details: {} };
}

function unknown(name: string): WireRefusal {
  const message = `${name} is not a header of this proxy. It knows ${[...FIELDS.keys()].join(", ")}.`;
  return { status: 400, code: "bad_request", message, details: {} };
}

function malformed(field: string, message: string): WireRefusal {
  const fields = [{ field, code: "invalid_format", message }];
  return { status: 422, code: "validation_failed", message: "Some fields are invalid.", details: { fields } };
}
