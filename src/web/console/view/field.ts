import { amountTyped, commaProblem, shareShown, sharesTyped } from "./amount-typed.ts";

/** The description of a form field. Rendering, filling in and submitting all use it. */
export interface Field {
  /** Its name in the request body. A dot separates nested fields. */
  readonly name: string;
  readonly label: string;
  readonly kind: FieldKind;
  readonly required?: boolean;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly options?: readonly Option[];
  /** The browser suggests what the page offers while one types. Anything else can be typed, too. */
  readonly isOffered?: true;
  /** Two adjacent half-width fields share a line. */
  readonly half?: boolean;
  /** Sent if the field is empty. Without it, an empty field is omitted. */
  readonly whenEmpty?: null | readonly [];
  /** Part of the path, not of the body. */
  readonly inPath?: boolean;
}

export type FieldKind =
  | "text"
  | "area"
  | "money"
  | "integer"
  | "number"
  | "list"
  /** Shares of a limit, written as percentages. */
  | "shares"
  /** Names with one or more values each: `team=search, team=ads`. */
  | "pairs"
  | "moment"
  | "choice"
  | "flag"
  /** Any number of the options. */
  | "checks"
  | "secret"
  /** A file that is sent with the form. */
  | "file"
  /** Not a field, but a heading for the following fields. */
  | "heading";

export type Option = readonly [value: string, title: string];

/** The typed values and the API's field errors. A refused form shows both. */
export interface FormValues {
  readonly values: Readonly<Record<string, string>>;
  readonly errors: Readonly<Record<string, string>>;
  /** The problem of the request as a whole. */
  readonly problem: string | null;
}

export const BLANK: FormValues = { values: {}, errors: {}, problem: null };

/** Text that is not a number is sent as typed, so that the API reports the error. */
function parse(value: string, kind: FieldKind): unknown {
  if (kind === "money") return amountTyped(value);
  if (kind === "shares") return sharesTyped(value);
  if (kind === "integer") {
    const digits = amountTyped(value);
    return /^-?\d{1,15}$/.test(digits) ? Number(digits) : value;
  }
  if (kind === "number") return /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;
  if (kind === "list") return value.split(/[\s,]+/).filter((part) => part !== "");
  if (kind === "pairs") return pairsIn(value);
  // Browsers send a time without a zone. The form's label says UTC.
  if (kind === "moment") return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(value) ? `${value}:00Z` : value;
  return value;
}

/** A part that is not a pair is sent as a name without a value, so that the API reports the error. */
function pairsIn(text: string): Record<string, readonly string[]> {
  const pairs = text.split(/[\n,]+/).map((pair) => pair.trim());
  const named = pairs
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [name.trim(), value.join("=").trim()] as const;
    });
  const byName = Map.groupBy(named, ([name]) => name);
  return Object.fromEntries(Array.from(byName, ([name, all]) => [name, all.map(([, value]) => value)]));
}

function put(body: Record<string, unknown>, name: string, value: unknown): void {
  const [head = "", ...rest] = name.split(".");
  if (rest.length === 0) {
    body[head] = value;
    return;
  }
  const inner = (body[head] ?? {}) as Record<string, unknown>;
  put(inner, rest.join("."), value);
  body[head] = inner;
}

/** The request body of a form. */
export function bodyOf(form: URLSearchParams, fields: readonly Field[]): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const { name, kind, whenEmpty, inPath, required } of fields) {
    const value = form.get(name)?.trim() ?? "";
    if (inPath === true || kind === "heading") continue;
    if (kind === "checks") {
      const chosen = form.getAll(name);
      if (chosen.length > 0 || required === true) put(body, name, chosen);
      continue;
    }
    if (kind === "flag") put(body, name, value === "on");
    else if (value !== "") put(body, name, parse(value, kind));
    else if (whenEmpty !== undefined) put(body, name, whenEmpty);
  }
  return body;
}

function valueAt(record: unknown, name: string): unknown {
  let value = record;
  for (const part of name.split(".")) value = (value as Record<string, unknown> | null | undefined)?.[part];
  return value;
}

/** The values of the form's fields, from a record of the API. */
export function draftOf(record: unknown, fields: readonly Field[]): FormValues {
  const values: Record<string, string> = {};
  for (const { name, kind } of fields) {
    const value = valueAt(record, name) as string | number | boolean | readonly string[] | null | undefined;
    if (value === null || value === undefined || kind === "secret") continue;
    const parts = Array.isArray(value) ? value.map(String) : [String(value)];
    const text = parts
      .map((part) => (kind === "shares" ? shareShown(part) : part))
      .join(kind === "checks" ? " " : ", ");
    if (kind === "flag") values[name] = value === true ? "on" : "";
    else values[name] = kind === "moment" ? text.slice(0, 16) : text;
  }
  return { values, errors: {}, problem: null };
}

interface ErrorAnswer {
  readonly error: { readonly message: string; readonly details: object } | null;
}

/** The API's field errors by form field. */
export function refusedDraft(
  form: URLSearchParams,
  answer: ErrorAnswer,
  fields: readonly Field[],
  complaintAt: (field: string) => string = (field) => field,
): FormValues {
  const { fields: complaints = [] }: { fields?: readonly { field: string; message: string }[] } =
    answer.error?.details ?? {};
  const errors: Record<string, string> = {};
  const loose: string[] = [];
  for (const { field: asked, message } of complaints) {
    const field = complaintAt(asked);
    const found = fields.find((known) => known.name === field || isInside(field, known.name));
    if (found === undefined) loose.push(`${asked} ${message}.`);
    else errors[found.name] ??= plainer(found, form.get(found.name) ?? "") ?? message;
  }
  const problem = complaints.length === 0 ? (answer.error?.message ?? null) : loose.join(" ") || null;
  const values = Object.fromEntries([...form.keys()].map((name) => [name, form.getAll(name).join(" ")]));
  return { values, errors, problem };
}

/** A reason in the words of forms, where the API's are those of its bodies. */
function plainer({ kind }: Field, typed: string): string | null {
  if (kind === "checks" && typed === "") return "is required";
  if (kind === "shares") return "must be shares of the limit above 0% and up to 1000%, such as 80%, 100%";
  return kind === "money" ? commaProblem(typed) : null;
}

const isInside = (path: string, name: string) => path.startsWith(`${name}.`) || path.startsWith(`${name}[`);
