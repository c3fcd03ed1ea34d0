import type { JSX } from "hono/jsx/jsx-runtime";

import type { Visitor } from "./view/document.tsx";
import type { Draft } from "./view/form.tsx";

/** What an operation of the API answered. A refusal is the same envelope that any caller gets. */
export interface Answer<T> {
  readonly status: number;
  readonly body: T | null;
  readonly error: { readonly code: string; readonly message: string; readonly details: object } | null;
}

/** The API, called in this process as the person who is signed in: the console has no other way to read or write. */
export interface Api {
  get: <T>(path: string) => Promise<Answer<T>>;
  send: <T>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body: object | null,
    once: string,
  ) => Promise<Answer<T>>;
}

export interface Visit {
  readonly api: Api;
  readonly visitor: Visitor;
  /** `/v1/orgs/{id}` of the org that the session belongs to. */
  readonly org: string;
  readonly nowMs: number;
  /** A fresh idempotency key for each form that is drawn. */
  readonly once: () => string;
}

export interface Ask {
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
}

export type Shown =
  | { readonly status: number; readonly title: string; readonly under: string; readonly content: JSX.Element }
  | { readonly redirect: string };

export type PageHandler = (visit: Visit, ask: Ask) => Promise<Shown>;

export interface ListOf<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

export function show(title: string, under: string, content: JSX.Element, status = 200): Shown {
  return { status, title, under, content };
}

/** The fields of a refused request, under the name of the form's field that each belongs to. */
export function refusedDraft(form: URLSearchParams, answer: Answer<unknown>): Draft {
  const { fields = [] }: { fields?: readonly { field: string; message: string }[] } =
    answer.error?.details ?? {};
  const values = Object.fromEntries(form);
  const errors: Record<string, string> = {};
  const loose: string[] = [];
  for (const { field, message } of fields) {
    const name = field.split(/[.[]/)[0] ?? field;
    if (name in values) errors[name] ??= message;
    else loose.push(`${field}: ${message}`);
  }
  const problem =
    fields.length === 0 ? (answer.error?.message ?? null) : loose.length > 0 ? loose.join(" ") : null;
  return { values, errors, problem };
}

type FieldKind = "text" | "integer" | "list" | "flag";

/** The request body that a form stands for: fields left empty are left out, as a caller would leave them out. */
export function bodyOf(
  form: URLSearchParams,
  shape: Readonly<Record<string, FieldKind>>,
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(shape)) {
    const value = form.get(name)?.trim() ?? "";
    if (kind === "flag") body[name] = value === "on";
    else if (value !== "") body[name] = read(value, kind);
  }
  return body;
}

/** A number that is none is sent as it was typed, so that the API says what is wrong with it. */
function read(value: string, kind: FieldKind): unknown {
  if (kind === "integer") return /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (kind === "list") return value.split(/[\s,]+/).filter((part) => part !== "");
  return value;
}

/** Sends a form's request; where it is refused, shows the form again with the refusal's own status. */
export async function submit(
  visit: Visit,
  ask: Ask,
  request: {
    readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
    readonly path: string;
    readonly body: object | null;
  },
  done: (body: unknown) => Shown | Promise<Shown>,
  again: (draft: Draft, status: number) => Shown | Promise<Shown>,
): Promise<Shown> {
  const once = ask.form.get("_once") ?? visit.once();
  const answer = await visit.api.send(request.method, request.path, request.body, once);
  return answer.error === null ? done(answer.body) : again(refusedDraft(ask.form, answer), answer.status);
}

/** The query of a list: only the filters that were filled in, and the page. */
export function listPath(path: string, query: URLSearchParams, names: readonly string[], limit = 50): string {
  const kept = new URLSearchParams({ limit: String(limit) });
  for (const name of [...names, "cursor", "sort"]) {
    const value = query.get(name)?.trim();
    if (value) kept.set(name, value);
  }
  return `${path}?${kept}`;
}

/** Links of a list's pages, with its filters kept. */
export function pagesOf(
  path: string,
  query: URLSearchParams,
  next: string | null,
): { first: string | null; next: string | null } {
  const rest = new URLSearchParams(query);
  const paged = rest.has("cursor");
  rest.delete("cursor");
  rest.delete("notice");
  const first = paged ? `${path}?${rest}` : null;
  if (next === null) return { first, next: null };
  rest.set("cursor", next);
  return { first, next: `${path}?${rest}` };
}
