import type { Child } from "hono/jsx";
import type { SpendCap } from "../../../contract/resources/spend-cap.ts";
import type { Quota } from "../../../contract/resources/quota.ts";
import type { PlanInUse } from "../../../contract/resources/plans.ts";
import type { ChainBudget } from "../../../contract/resources/chain-budget.ts";
import type { Setting, SettingsPage } from "../page/settings.tsx";
import { count, formatMoment, usd } from "../view/format.ts";
import { Usd } from "../view/money.tsx";
import { Card, type Fact, Facts, UsedOf } from "../view/parts.tsx";
import { UnreadFigure } from "../view/unread.tsx";
import type { Visit } from "../visit.ts";

const cap: Setting<SpendCap> = {
  name: "spend-cap",
  title: "Daily spend cap",
  api: "spend-cap",
  method: "PUT",
  role: "admin",
  save: "Save cap",
  noteOf: (found) => (found ? `Resets ${formatMoment(found.resets_at)}` : "Not set"),
  above: (found) =>
    found && (
      <div>
        <UsedOf spent={found.spent_usd} held={found.reserved_usd} limit={found.cap_usd} />
        <p class="quiet small number">
          <Usd of={found.spent_usd} /> spent and <Usd of={found.reserved_usd} /> reserved of{" "}
          <Usd of={found.cap_usd} />
        </p>
      </div>
    ),
  fieldsOf: () => [
    {
      name: "cap_usd",
      label: "Cap in US dollars",
      kind: "money",
      required: true,
      half: true,
      placeholder: "100.00",
      hint: "The most the organization may spend per day.",
    },
    {
      name: "timezone",
      label: "Time zone",
      kind: "text",
      half: true,
      placeholder: "Europe/Berlin",
      hint: "Leave empty for UTC.",
    },
  ],
  remove: {
    label: "Remove cap",
    confirm: "Budgets and other limits still apply.",
  },
};

const chain: Setting<ChainBudget> = {
  name: "chain-budget",
  title: "Run chains",
  api: "chain-budget",
  method: "PUT",
  role: "admin",
  save: "Save chain budget",
  noteOf: (found) => (found ? "Applies to every chain" : "Not set"),
  fieldsOf: () => [
    {
      name: "max_cost_usd",
      label: "Cost in US dollars",
      kind: "money",
      half: true,
      placeholder: "5.00",
      hint: "Stops an agent that calls itself in a loop.",
    },
    { name: "max_depth", label: "Depth", kind: "integer", half: true, placeholder: "10" },
    { name: "max_tokens", label: "Tokens", kind: "integer", half: true, placeholder: "2000000" },
  ],
  remove: {
    label: "Remove chain budget",
    confirm: "Chains may then grow until they reach another limit.",
  },
};

const usedOf = (used: number, limit: number | null) =>
  limit === null ? `${count(used)} (unlimited)` : `${count(used)} of ${count(limit)}`;

function planFacts(plan: PlanInUse): readonly Fact[] {
  return [
    ["Plan", plan.plan],
    ["Runs recorded this month", usedOf(plan.runs_used, plan.runs_limit)],
    ["Tokens recorded this month", usedOf(plan.tokens_used, plan.tokens_limit)],
    ["Counted", "When it is reported, whenever the run started"],
    ["Over the plan", plan.overage_policy === "block" ? "Refused" : "Allowed"],
  ];
}

/** Set by the platform, read-only for the org. */
async function planAndBalance({ api, org }: Visit): Promise<Child> {
  const [quota, plan] = await Promise.all([
    api.get<Quota>(`${org}/quota`),
    api.get<PlanInUse>(`${org}/plan`),
  ]);
  const balance = quota.body
    ? `${usd(quota.body.balance_usd)}, ${usd(quota.body.reserved_usd)} reserved`
    : quota.status === 404
      ? "Not prepaid"
      : UnreadFigure({ of: quota });
  return (
    <Card title="Plan and prepaid balance" note="Set by your provider">
      <Facts
        of={[
          ["Prepaid balance", balance],
          ...(plan.body ? planFacts(plan.body) : [["Plan", UnreadFigure({ of: plan })] as const]),
        ]}
      />
    </Card>
  );
}

export const limits: SettingsPage = {
  path: "/console/limits",
  title: "Caps and plan",
  about: "Limits on the whole organization: the daily cap, run chains, the plan and the prepaid balance.",
  settings: [cap, chain],
  below: planAndBalance,
};
