import type { LimitsInUse } from "../../../../contract/resources/limits.ts";
import type { Quota } from "../../../../contract/resources/quota.ts";
import type { SpendCap } from "../../../../contract/resources/spend-cap.ts";
import { Change } from "../../view/change.tsx";
import { count, day } from "../../view/format.ts";
import { runsAt } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Tile, Tiles } from "../../view/parts.tsx";
import type { Range } from "../../view/range.ts";
import { type Failed, isUnread, TryAgain, whyUnread } from "../../view/unread.tsx";
import type { Visit } from "../../visit.ts";
import { isSpending, type Spending } from "./spending.ts";

interface Figures {
  readonly cap: SpendCap | null;
  /** Null if the org is not prepaid. */
  readonly quota: Quota | null;
  /** The reads that failed, with their names. */
  readonly unread: readonly (readonly [name: string, why: Failed])[];
}

export async function readFigures({ api, org }: Visit): Promise<Figures> {
  const [cap, quota] = await Promise.all([
    api.get<SpendCap>(`${org}/spend-cap`),
    api.get<Quota>(`${org}/quota`),
  ]);
  const read = [["Spent of today’s cap", cap] as const, ["Prepaid balance", quota] as const];
  const unread = read.filter(([, answer]) => isUnread(answer));
  return { cap: cap.body, quota: quota.body, unread };
}

function Spent({ of, range }: { of: Spending | Failed; range: Range }) {
  if (!isSpending(of)) {
    return (
      <Tile label="Spent" value="–">
        {whyUnread(of)} <TryAgain />
      </Tile>
    );
  }
  const { totals, previous } = of;
  return (
    <>
      <Tile
        label="Spent"
        value={
          <>
            <a href={runsAt({}, range)}>
              <Usd of={totals.cost_usd} />
            </a>{" "}
            <Change now={totals.cost_usd} before={previous.cost_usd} />
          </>
        }
      >
        before:{" "}
        <a href={runsAt({}, range.previous)}>
          <Usd of={previous.cost_usd} />
        </a>
      </Tile>
      <Tile
        label="Runs"
        value={
          <>
            <a href={runsAt({}, range)}>{count(totals.runs)}</a>{" "}
            <Change now={totals.runs} before={previous.runs} />
          </>
        }
      >
        before: <a href={runsAt({}, range.previous)}>{count(previous.runs)}</a>
      </Tile>
      {Number(totals.saved_usd) > 0 && (
        <Tile label="Saved" value={<Usd of={totals.saved_usd} />}>
          by caches and batches
        </Tile>
      )}
    </>
  );
}

export function Figures(props: {
  readonly spending: Spending | Failed;
  readonly figures: Figures;
  readonly out: LimitsInUse | null;
  readonly range: Range;
  readonly today: Pick<Range, "from" | "to">;
}) {
  const { figures, out, range, today } = props;
  const { cap, quota } = figures;
  return (
    <Tiles>
      <Spent of={props.spending} range={range} />
      {cap && (
        <Tile
          label="Spent of today’s cap"
          value={
            <a href={runsAt({}, today)}>
              <Usd of={cap.spent_usd} />
            </a>
          }
        >
          of{" "}
          <a href="/console/limits">
            <Usd of={cap.cap_usd} />
          </a>
          , resets {day(cap.resets_at)}
        </Tile>
      )}
      {figures.unread.map(([name, why]) => (
        <Tile label={name} value="–">
          {whyUnread(why)} <TryAgain />
        </Tile>
      ))}
      <Tile
        label="Reserved now"
        value={
          <a href="/console/budgets">
            <Usd of={out?.reserved_usd} />
          </a>
        }
      >
        for runs in progress
      </Tile>
      {quota && (
        <Tile
          label="Prepaid balance"
          value={
            <a href="/console/limits">
              <Usd of={quota.available_usd} />
            </a>
          }
        >
          {Number(quota.overdrawn_usd) > 0 ? (
            <>
              overdrawn by <Usd of={quota.overdrawn_usd} />
            </>
          ) : (
            <>
              <Usd of={quota.reserved_usd} /> more is reserved
            </>
          )}
        </Tile>
      )}
    </Tiles>
  );
}
