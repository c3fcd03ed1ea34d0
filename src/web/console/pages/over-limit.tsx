import type { Child } from "hono/jsx";
import { runsChargedTo } from "../view/links.ts";

/** A limit that more was spent of than it allows. */
interface PassedLimit {
  readonly id: string;
  readonly period_start: string;
  readonly period_end: string | null;
  /** By how much it is passed. */
  readonly passedBy: string | number;
  /** How much of that had already happened when it was counted. */
  readonly over: string | number | null;
  /** The owner of the runs that it counts, if its counter is one of several. */
  readonly filter?: Readonly<Record<string, string>>;
  /** True if it also counts spend from before it was created. */
  readonly countsEarlier?: boolean;
}

/** By how much a limit is passed, and why: runs that had cost something when they were reported, or a limit that was lowered. */
export function OverNotice({ of, children }: { of: PassedLimit; children: Child }) {
  const { id, passedBy, over, filter = {}, countsEarlier = false } = of;
  const isIncurred = !countsEarlier && Number(over) >= Number(passedBy);
  return (
    <div class="notice warn">
      <strong>{children} over:</strong>{" "}
      {isIncurred ? (
        <>
          <a href={runsChargedTo(id, of, filter)}>runs reported as incurred</a>. What has been spent is
          counted, also without room for it.
        </>
      ) : (
        `more was spent before ${countsEarlier ? "it was created, before " : ""}the limit was lowered or an increase ended, or by runs reported as incurred.`
      )}
    </div>
  );
}
