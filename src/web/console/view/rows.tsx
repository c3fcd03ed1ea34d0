import type { Child } from "hono/jsx";
import type { Answer, ListOf } from "../visit.ts";
import { Unread } from "./unread.tsx";

/** The rows of a part of a page, a line if there are none, or why they cannot be read. */
export function Rows<T>(props: {
  readonly of: Answer<ListOf<T>>;
  readonly none: Child;
  readonly children: (rows: readonly T[]) => Child;
}) {
  const { of, none, children } = props;
  if (of.body === null) return <Unread of={of} />;
  return of.body.data.length === 0 ? <p class="note-line">{none}</p> : <>{children(of.body.data)}</>;
}
