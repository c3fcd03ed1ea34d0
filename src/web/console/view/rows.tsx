import type { Child } from "hono/jsx";
import type { Answer, ListOf } from "../visit.ts";

/** Why a part of a page cannot be read: a lower role, or a support grant that does not cover it. */
export function whyUnread({ error }: Answer<unknown>): string {
  return error?.message ?? "This cannot be read right now.";
}

/** The rows of a part of a page, a line if there are none, or why they cannot be read. */
export function Rows<T>(props: {
  readonly of: Answer<ListOf<T>>;
  readonly none: Child;
  readonly children: (rows: readonly T[]) => Child;
}) {
  const { of, none, children } = props;
  if (of.body === null) return <p class="note-line">{whyUnread(of)}</p>;
  return of.body.data.length === 0 ? <p class="note-line">{none}</p> : <>{children(of.body.data)}</>;
}
