import type { Child } from "hono/jsx";
import type { Answer, ListOf } from "../visit.ts";
import type { IconName } from "./icons.tsx";
import { Empty, NoMatch } from "./parts.tsx";

/** A read that failed. */
export type Failed = Pick<Answer<unknown>, "status" | "error" | "trace">;

const TITLES: Readonly<Record<string, string>> = {
  not_found: "Not found",
  forbidden: "Your role does not allow this",
  missing_scope: "Your session does not allow this",
  support_scope_denied: "Outside the support grant",
  residency_violation: "Not in this region",
  conflict: "This cannot be done right now",
  idempotency_key_conflict: "Already sent",
  idempotency_key_processing: "Still being processed",
  validation_failed: "Not accepted",
  rate_limited: "Too many requests",
  service_unavailable: "Temporarily unavailable",
};

export const titleOf = ({ error }: Failed): string => TITLES[error?.code ?? ""] ?? "Something went wrong";

const reasonOf = ({ error }: Failed): string => error?.message ?? "The error is on our side.";

/** The status and the code of the API, and what to quote when it is reported. */
export function Quoted({ of: { status, error, trace } }: { of: Failed }) {
  return (
    <>
      The API answered <code>{status}</code> <code>{error?.code ?? "internal"}</code>.
      {trace !== null && (
        <>
          {" "}
          Quote <code>{trace}</code> if you report it.
        </>
      )}
    </>
  );
}

/** Why a part of a page cannot be read, in one line. */
export function whyUnread(of: Failed): string {
  const quoted = of.trace === null ? "" : `, trace ${of.trace}`;
  return `${reasonOf(of)} (${of.status} ${of.error?.code ?? "internal"}${quoted})`;
}

/** Returns whether something could not be read. What is not there, or cannot be asked for, was read. */
export function isUnread({ status }: Failed): boolean {
  return status >= 400 && status !== 404 && status !== 422;
}

/** Asks for the same page again. */
export function TryAgain({ class: look }: { class?: string }) {
  return (
    <a href="" {...(look === undefined ? {} : { class: look })}>
      Try again
    </a>
  );
}

/** In place of a part of a page: why it cannot be read, and a way on. */
export function Unread({ of }: { of: Failed }) {
  return (
    <p class="note-line">
      {whyUnread(of)} <TryAgain />
    </p>
  );
}

/** In place of one figure. */
export function UnreadFigure({ of }: { of: Failed }) {
  return (
    <a href="" title={whyUnread(of)}>
      Not read. Try again
    </a>
  );
}

/** The rows of a list page, what is said if there are none, or why they cannot be read. */
export function Listed<T>(props: {
  readonly answer: Answer<ListOf<unknown>>;
  readonly rows: readonly T[];
  readonly icon: IconName;
  readonly path: string;
  readonly isFiltered: boolean;
  readonly empty: Child;
  readonly children: (rows: readonly T[]) => Child;
}) {
  const { answer, rows, icon, path, isFiltered, empty, children } = props;
  if (answer.body === null) return <Unlisted of={answer} icon={icon} path={path} />;
  if (rows.length > 0) return <>{children(rows)}</>;
  return isFiltered ? <NoMatch icon={icon} path={path} /> : <>{empty}</>;
}

function Unlisted({ of, icon, path }: { of: Failed; icon: IconName; path: string }) {
  const ways = (
    <div class="inline">
      <TryAgain class="button" />
      <a class="button" href={path}>
        Show all
      </a>
    </div>
  );
  return (
    <Empty icon={icon} title={titleOf(of)} action={ways}>
      {reasonOf(of)} <Quoted of={of} />
    </Empty>
  );
}
