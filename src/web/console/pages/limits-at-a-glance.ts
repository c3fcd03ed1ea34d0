import { count, share, usd, words } from "../view/format.ts";
import type { PlanInUse } from "../../../contract/resources/plans.ts";
import type { CreditPack } from "../../../contract/resources/credit-packs.ts";
import type { Quota } from "../../../contract/resources/quota.ts";
import type { CustomerLimit } from "../../../contract/resources/customer-limits.ts";
import type { Budget } from "../../../contract/resources/budgets.ts";
import type { SpendCap } from "../../../contract/resources/spend-cap.ts";
import type { ListOf, Visit } from "../visit.ts";

/** Any limit, as one row of the overview. */
export interface AtAGlance {
  readonly name: string;
  readonly about: string;
  readonly href: string;
  readonly spent: string;
  readonly held: string;
  readonly limit: string;
  readonly used: number;
  readonly resets: string | null;
  readonly shown: (amount: string) => string;
}

export interface Limits {
  readonly cap: SpendCap | null;
  /** Null if the org is not prepaid. */
  readonly quota: Quota | null;
  readonly held: string;
  readonly rows: readonly AtAGlance[];
}

type Row = Omit<AtAGlance, "used" | "shown"> & { readonly shown?: (amount: string) => string };

export async function readLimits({ api, org }: Visit): Promise<Limits> {
  const [cap, budgets, customers, plan, quota, packs] = await Promise.all([
    api.get<SpendCap>(`${org}/spend-cap`),
    api.get<ListOf<Budget>>(`${org}/budgets?limit=200`),
    api.get<ListOf<CustomerLimit>>(`${org}/customer-limits?limit=200`),
    api.get<PlanInUse>(`${org}/plan`),
    api.get<Quota>(`${org}/quota`),
    api.get<ListOf<CreditPack>>(`${org}/credit-packs?limit=200`),
  ]);
  const rows: Row[] = [
    ...(cap.body ? [capRow(cap.body)] : []),
    ...(budgets.body?.data ?? []).map(budgetRow),
    ...(customers.body?.data ?? []).flatMap(customerRow),
    ...(packs.body?.data ?? []).filter(({ status }) => status === "live").map(packRow),
    ...(plan.body ? planRows(plan.body) : []),
  ];
  const held = [
    cap.body?.reserved_usd ?? "0",
    ...(budgets.body?.data ?? []).map(({ reserved_usd }) => reserved_usd),
  ];
  return {
    cap: cap.body,
    quota: quota.body,
    held: held.reduce((most, amount) => (Number(amount) > Number(most) ? amount : most), "0.00"),
    rows: rows
      .map((row) => ({ shown: usd, ...row, used: share(Number(row.spent) + Number(row.held), row.limit) }))
      .toSorted((a, b) => b.used - a.used),
  };
}

function capRow(cap: SpendCap): Row {
  return {
    name: "Daily spend cap",
    about: cap.timezone,
    href: "/console/limits",
    spent: cap.spent_usd,
    held: cap.reserved_usd,
    limit: cap.cap_usd,
    resets: cap.resets_at,
  };
}

function budgetRow(budget: Budget): Row {
  const scope =
    budget.scope_kind === "org" ? "Whole org" : `${words(budget.scope_kind)} ${budget.scope_id ?? ""}`;
  return {
    name: budget.name ?? scope,
    about: `${scope}, per ${budget.period}${budget.mode === "shadow" ? ", shadow" : ""}`,
    href: `/console/budgets/${budget.id}`,
    spent: budget.spent_usd,
    held: budget.reserved_usd,
    limit: budget.limit_usd,
    resets: budget.period_end,
  };
}

/** A limit for every customer has no spending of its own. */
function customerRow(limit: CustomerLimit): Row[] {
  const { spent_usd: spent, reserved_usd: held, limit_usd } = limit;
  if (spent === null || held === null) return [];
  const about = `Customer limit, per ${limit.period}`;
  return [
    {
      name: limit.customer_id,
      about,
      href: `/console/customers/${limit.id}`,
      spent,
      held,
      limit: limit_usd,
      resets: limit.period_end,
    },
  ];
}

function packRow(pack: CreditPack): Row {
  return {
    name: pack.customer_id,
    about: "Credit pack",
    href: "/console/packs",
    spent: pack.spent_usd,
    held: "0.00",
    limit: pack.amount_usd,
    resets: pack.expires_at,
  };
}

const shown = (amount: string) => count(Number(amount));

function planRows(plan: PlanInUse): Row[] {
  const row = (name: string, used: number, limit: number | null): Row[] =>
    limit === null
      ? []
      : [
          {
            name,
            about: `Plan ${plan.plan}`,
            href: "/console/limits",
            spent: String(used),
            held: "0",
            limit: String(limit),
            resets: plan.period_end,
            shown,
          },
        ];
  return [
    ...row("Runs this month", plan.runs_used, plan.runs_limit),
    ...row("Tokens this month", plan.tokens_used, plan.tokens_limit),
  ];
}
