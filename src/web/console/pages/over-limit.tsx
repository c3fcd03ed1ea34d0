import type { Child } from "hono/jsx";
import type { RunResource } from "../../../contract/resources/runs/runs.ts";
import { runsChargedTo } from "../view/links.ts";
import { Unread } from "../view/unread.tsx";
import type { ListOf, Visit } from "../visit.ts";

/** How many runs are looked at to say why a limit is passed. */
const LOOKED_AT = 200;

/** A limit that more was spent of than it allows. */
interface PassedLimit {
  readonly id: string;
  readonly period_start: string;
  readonly period_end: string | null;
  /** By how much it is passed. */
  readonly over: string | number;
  /** Whose runs it counts, if its counter is one of several. */
  readonly filter?: Readonly<Record<string, string>>;
  /** Whether it counts what was spent before it was created. */
  readonly countsEarlier?: boolean;
}

/** By how much a limit is passed, and why: runs that had cost something when they were reported, or a limit that was lowered. */
export async function overNotice(visit: Visit, limit: PassedLimit, amount: Child): Promise<Child> {
  const { id, period_start, over, filter = {}, countsEarlier = false } = limit;
  const asked = { limit_id: id, charged_from: period_start, limit: String(LOOKED_AT), ...filter };
  const answer = await visit.api.get<ListOf<RunResource>>(`/v1/runs?${new URLSearchParams(asked)}`);
  return answer.body === null ? (
    <Unread of={answer} />
  ) : (
    <Over
      amount={amount}
      href={runsChargedTo(id, limit, filter)}
      isIncurred={incurredIn(answer.body, id) >= Number(over)}
      countsEarlier={countsEarlier}
    />
  );
}

/** What runs took of a limit although it had no room for them. */
function incurredIn({ data }: ListOf<RunResource>, id: string): number {
  const charges = data.flatMap(({ charges: all }) => all.filter((charge) => charge.id === id));
  return charges.reduce((sum, { over_usd, over }) => sum + Number(over_usd ?? over ?? 0), 0);
}

interface OverProps {
  readonly amount: Child;
  readonly href: string;
  readonly isIncurred: boolean;
  readonly countsEarlier: boolean;
}

function Over({ amount, href, isIncurred, countsEarlier }: OverProps) {
  return (
    <div class="notice warn">
      <strong>{amount} over:</strong>{" "}
      {isIncurred ? (
        <>
          <a href={href}>runs reported as incurred</a>. What has been spent is counted, also without room for
          it.
        </>
      ) : (
        `more was spent before ${countsEarlier ? "it was created, before " : ""}the limit was lowered or an increase ended, or by runs reported as incurred.`
      )}
    </div>
  );
}
