import type { Child } from "hono/jsx";
import type { Budget } from "../../../../contract/resources/budgets/budgets.ts";
import type { UsageReport } from "../../../../contract/resources/usage/usage-report.ts";
import { shareShown } from "../../view/amount-typed.ts";
import { countsEarlier } from "../../view/behind.ts";
import { moment, share } from "../../view/format.ts";
import { Badge, Card } from "../../view/parts.tsx";
import { type Failed, Unread } from "../../view/unread.tsx";
import type { Visit } from "../../visit.ts";
import { overNotice } from "../over-limit.tsx";
import { Amount } from "./budget-amount.tsx";
import { above, type CountedBudget, limitOf, overOf } from "./budget-counters.tsx";
import { daysAskOf } from "./budget-days.ts";
import { previewText } from "./budget-preview.ts";
import { budgetSentence } from "./budget-words.ts";

/** What a budget does, when it tells someone, since when it counts, and why it is over its limit. */
export async function glanceCard(visit: Visit, budget: CountedBudget): Promise<Child> {
  const [uncounted, over, preview] = await Promise.all([
    readUncounted(visit, budget),
    readOver(visit, budget),
    previewText(visit, budget),
  ]);
  return (
    <Card title="What it does" note={periodText(budget)}>
      <div class="stack">
        <p>{budgetSentence(budget)}</p>
        <Alerts of={budget} />
        {over}
        {uncounted &&
          ("trace" in uncounted ? <Unread of={uncounted} /> : <Since budget={budget} {...uncounted} />)}
        {countsEarlier(budget) && (
          <p>
            It counts from {moment(budget.counts_since)}: what was spent in this period before it was created
            counts, too.
          </p>
        )}
        {preview !== null && <p class="quiet">{preview}</p>}
      </div>
    </Card>
  );
}

function periodText({ period_start: start, period_end: end }: Budget): string {
  return end === null ? `Since ${moment(start)}` : `${moment(start)} to ${moment(end)}`;
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

async function readOver(visit: Visit, budget: Budget): Promise<Child> {
  const over = overOf(budget);
  if (over === null || budget.mode !== "enforce") return null;
  const passed = { ...budget, over, countsEarlier: countsEarlier(budget) };
  return overNotice(visit, passed, <Amount of={budget} amount={over} />);
}

interface Uncounted {
  readonly amount: string | number;
}

/** What was spent in the period before the budget was made. Null: nothing, or reports cannot tell. */
async function readUncounted(visit: Visit, budget: Budget): Promise<Uncounted | Failed | null> {
  const ask = daysAskOf(budget);
  if (budget.counts_since <= budget.period_start || budget.spent === null) return null;
  if (ask === null || !ask.isExact) return null;
  const range = { from: budget.period_start, to: new Date(visit.nowMs).toISOString() };
  const asked = new URLSearchParams({ ...ask.filter, group_by: "model", limit: "1", ...range });
  const answer = await visit.api.get<UsageReport>(`${visit.org}/usage/report?${asked}`);
  if (answer.body === null) return answer;
  const { totals } = answer.body;
  const amount = above(budget, budget.unit === "usd" ? totals.cost_usd : totals[budget.unit], budget.spent);
  return amount === null ? null : { amount };
}

function Since({ budget, amount }: Uncounted & { budget: Budget }) {
  return (
    <p>
      It counts from {moment(budget.counts_since)}, when it was created. Of what was spent in this period,{" "}
      <Amount of={budget} amount={amount} /> came before that and is not counted.
    </p>
  );
}
