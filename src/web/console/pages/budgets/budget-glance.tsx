import type { Child } from "hono/jsx";
import type { Budget } from "../../../../contract/resources/budgets/budgets.ts";
import type { RunResource } from "../../../../contract/resources/runs/runs.ts";
import type { UsageReport } from "../../../../contract/resources/usage/usage-report.ts";
import { shareShown } from "../../view/amount-typed.ts";
import { moment, share } from "../../view/format.ts";
import { runsChargedTo } from "../../view/links.ts";
import { Badge, Card } from "../../view/parts.tsx";
import { type Failed, Unread } from "../../view/unread.tsx";
import type { ListOf, Visit } from "../../visit.ts";
import { Amount } from "./budget-amount.tsx";
import { above, type CountedBudget, limitOf, overOf } from "./budget-counters.tsx";
import { daysAskOf } from "./budget-days.ts";
import { previewText } from "./budget-preview.ts";
import { budgetSentence } from "./budget-words.ts";

/** How many runs are looked at to say why a budget is over its limit. */
const LOOKED_AT = 200;

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
        {over && ("trace" in over ? <Unread of={over} /> : <Over of={over} budget={budget} />)}
        {uncounted &&
          ("trace" in uncounted ? <Unread of={uncounted} /> : <Since budget={budget} {...uncounted} />)}
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

interface OverLimit {
  readonly amount: string | number;
  /** All of it is of runs that were reported after they had cost something. */
  readonly isIncurred: boolean;
}

async function readOver(visit: Visit, budget: Budget): Promise<OverLimit | Failed | null> {
  const amount = overOf(budget);
  if (amount === null || budget.mode !== "enforce") return null;
  const asked = { limit_id: budget.id, charged_from: budget.period_start, limit: String(LOOKED_AT) };
  const answer = await visit.api.get<ListOf<RunResource>>(`/v1/runs?${new URLSearchParams(asked)}`);
  if (answer.body === null) return answer;
  const charges = answer.body.data.flatMap(({ charges: all }) => all.filter(({ id }) => id === budget.id));
  const reported = charges.reduce((sum, { over_usd, over }) => sum + Number(over_usd ?? over ?? 0), 0);
  return { amount, isIncurred: reported >= Number(amount) };
}

function Over({ of: { amount, isIncurred }, budget }: { of: OverLimit; budget: Budget }) {
  return (
    <div class="notice warn">
      <strong>
        <Amount of={budget} amount={amount} /> over:
      </strong>{" "}
      {isIncurred ? (
        <>
          <a href={runsChargedTo(budget.id, budget)}>runs reported as incurred</a>. What has been spent is
          counted, also without room for it.
        </>
      ) : (
        "more was spent before the limit was lowered or an increase ended, or by runs reported as incurred."
      )}
    </div>
  );
}

interface Uncounted {
  readonly amount: string | number;
}

/** What was spent in the period before the budget was made. Null: nothing, or reports cannot tell. */
async function readUncounted(visit: Visit, budget: Budget): Promise<Uncounted | Failed | null> {
  const ask = daysAskOf(budget);
  if (budget.created_at <= budget.period_start || budget.spent === null) return null;
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
      It counts from {moment(budget.created_at)}, when it was created. Of what was spent in this period,{" "}
      <Amount of={budget} amount={amount} /> came before that and is not counted.
    </p>
  );
}
