import type { Child } from "hono/jsx";
import type { Budget } from "../../../../contract/resources/budgets/budgets.ts";
import type { UsageReport } from "../../../../contract/resources/usage/usage-report.ts";
import { DAY_MS } from "../../../../contract/durations.ts";
import { shareShown } from "../../view/amount-typed.ts";
import { countsEarlier } from "../../view/behind.ts";
import { formatMoment, share } from "../../view/format.ts";
import { Badge, Card } from "../../view/parts.tsx";
import { dateOf } from "../../view/range.ts";
import { type Failed, Unread } from "../../view/unread.tsx";
import type { Visit } from "../../visit.ts";
import { OverNotice } from "../over-limit.tsx";
import { Amount } from "./budget-amount.tsx";
import { subtractAmounts, limitOf, overOf } from "./budget-counters.tsx";
import { daysAskOf } from "./budget-days.ts";
import { previewText } from "./budget-preview.ts";
import type { Days } from "./budget-trend.tsx";
import { budgetSentence } from "./budget-words.ts";

/** A card that says what a budget does, when it tells someone, since when it counts, and why it is over its limit. */
export async function glanceCard(visit: Visit, budget: Budget, days: Promise<Days | string>): Promise<Child> {
  const [uncounted, read] = await Promise.all([readUncounted(visit, budget), days]);
  const preview = previewText(budget, read);
  return (
    <Card title="What it does" note={periodText(budget)}>
      <div class="stack">
        <p>{budgetSentence(budget)}</p>
        <Alerts of={budget} />
        <Over of={budget} />
        {uncounted &&
          ("trace" in uncounted ? <Unread of={uncounted} /> : <Since budget={budget} {...uncounted} />)}
        {countsEarlier(budget) && (
          <p>
            It counts from {formatMoment(budget.counts_since)}: what was spent in this period before it was
            created counts, too.
          </p>
        )}
        {preview !== null && <p class="quiet">{preview}</p>}
      </div>
    </Card>
  );
}

function periodText({ period_start: start, period_end: end }: Budget): string {
  return end === null ? `Since ${formatMoment(start)}` : `${formatMoment(start)} to ${formatMoment(end)}`;
}

/** The thresholds, and which of them are reached. Counters of several values have their own. */
function Alerts({ of }: { of: Budget }) {
  const { alert_thresholds: thresholds, spent, reserved } = of;
  if (thresholds.length === 0) return <p class="quiet">Nobody is told before it is used up.</p>;
  const used = spent === null ? null : share(Number(spent) + Number(reserved), limitOf(of));
  return (
    <div class="inline">
      <span>Alerts at</span>
      {thresholds.map((threshold) => {
        const isReached = used !== null && used >= Number(threshold);
        return (
          <Badge tone={isReached ? "warn" : "plain"}>
            {shareShown(threshold)}
            {isReached && " reached"}
          </Badge>
        );
      })}
    </div>
  );
}

function Over({ of }: { of: Budget }) {
  const passedBy = overOf(of);
  if (passedBy === null || of.mode !== "enforce") return null;
  return (
    <OverNotice of={{ ...of, passedBy, countsEarlier: countsEarlier(of) }}>
      <Amount of={of} amount={passedBy} />
    </OverNotice>
  );
}

interface UncountedSpend {
  readonly amount: string | number;
}

/** Reads the spend of the period before the budget was made. Null: nothing, or reports cannot tell. */
async function readUncounted(visit: Visit, budget: Budget): Promise<UncountedSpend | Failed | null> {
  const ask = daysAskOf(budget);
  if (budget.counts_since <= budget.period_start || budget.spent === null) return null;
  if (ask === null || !ask.isExact) return null;
  // Until the end of today: the sums of full days are at hand.
  const range = { from: budget.period_start, to: dateOf(visit.nowMs + DAY_MS) };
  const asked = new URLSearchParams({ ...ask.filter, group_by: "day", limit: "1", ...range });
  const answer = await visit.api.get<UsageReport>(`${visit.org}/usage/report?${asked}`);
  if (answer.body === null) return answer;
  const { totals } = answer.body;
  const amount = subtractAmounts(
    budget,
    budget.unit === "usd" ? totals.cost_usd : totals[budget.unit],
    budget.spent,
  );
  return amount === null ? null : { amount };
}

function Since({ budget, amount }: UncountedSpend & { budget: Budget }) {
  return (
    <p>
      It counts from {formatMoment(budget.counts_since)}, when it was created. Of what was spent in this
      period, <Amount of={budget} amount={amount} /> came before that and is not counted.
    </p>
  );
}
