import type { JSX } from "hono/jsx/jsx-runtime";
import { type KeyRole, roleIncludes } from "../../contract/access.ts";
import type { SavedView } from "./saved-views.ts";
import type { Visitor } from "./view/document.tsx";
import type { FormGuard } from "./view/form.tsx";

/** The response of an API operation. A refusal has the same envelope as for any caller. */
export interface Answer<T> {
  readonly status: number;
  readonly body: T | null;
  readonly error: { readonly code: string; readonly message: string; readonly details: object } | null;
  /** What locates the request in the log. Null: no request was made. */
  readonly trace: string | null;
}

/** The API, called in this process as the signed-in person. The console has no other way to read or write. */
export interface Api {
  get: <T>(path: string) => Promise<Answer<T>>;
  send: <T>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body: object | null,
    once: string,
  ) => Promise<Answer<T>>;
  /** What something would be that is created with POST. It is checked and answered, and changes nothing. */
  tryPost: <T>(path: string, body: object) => Promise<Answer<T>>;
}

export interface Visit {
  readonly api: Api;
  readonly visitor: Visitor;
  /** `/v1/orgs/{id}` of the org that the session belongs to. */
  readonly org: string;
  readonly nowMs: number;
  /** The org's home region, if it is not this one. */
  readonly homeElsewhere: string | null;
  /** A fresh idempotency key for each form that is drawn. */
  readonly once: () => string;
}

export interface PageRequest {
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  /** What the browser has saved, of all its orgs. */
  readonly views: readonly SavedView[];
}

export interface ShownPage {
  readonly status: number;
  readonly title: string;
  readonly under: string;
  readonly content: JSX.Element;
}

export type PageResponse =
  | ShownPage
  | {
      readonly redirect: string;
      /** The browser's views from now on, as its cookie has them. */
      readonly views?: string;
    };

export type PageHandler = (visit: Visit, ask: PageRequest) => Promise<PageResponse>;

export type Route = readonly [method: "GET" | "POST", path: string, handler: PageHandler];

export interface ListOf<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

export function show(title: string, under: string, content: JSX.Element, status = 200): ShownPage {
  return { status, title, under, content };
}

/** The hidden fields of a form. Each rendered form acts once. */
export function formGuardOf(visit: Visit): FormGuard {
  return { csrf: visit.visitor.csrf, once: visit.once() };
}

/** Returns whether the reader has at least `role`. The API enforces it; this only avoids useless buttons. */
export function hasRole(visit: Visit, role: KeyRole): boolean {
  return roleIncludes(visit.visitor.role, role);
}

/** The query of a list: only the filters that were filled in, and the page. */
export function listPath(
  path: string,
  query: URLSearchParams,
  names: readonly string[],
  sort?: string,
): string {
  const kept = new URLSearchParams({ limit: "50", ...(sort === undefined ? {} : { sort }) });
  for (const name of [...names, "cursor", "sort"]) {
    const value = query.get(name)?.trim();
    if (value) kept.set(name, value);
  }
  return `${path}?${kept}`;
}

/** Links to a list's pages, with its filters kept. */
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
