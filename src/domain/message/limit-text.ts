import { dollarsIn, type EventData, limitIn, numberIn, textIn } from "./event-data.ts";
import { type EventText, type Fact, foreignText, momentText, quoteText } from "./message.ts";

/** The names of limits, by the group of their events, and the pages of the console that show them. */
const LIMITS: Readonly<Record<string, readonly [name: string, path: string]>> = {
  budget: ["Budget", "/console/budgets/"],
  customer_limit: ["The limit of a customer", "/console/customer-limits/"],
  spend_cap: ["The daily spend cap", "/console/limits"],
  quota: ["The prepaid quota", "/console/limits"],
  plan: ["The plan", "/console/limits"],
  credit_pack: ["A credit pack", "/console/packs/"],
};

/** A limit was reached, or nearly. `name` is the limit's own, if it has one. */
export function limitText(kind: string, data: EventData, name: string | null): EventText {
  const group = kind.slice(0, kind.indexOf("."));
  const [word, path] = LIMITS[group] ?? ["A limit", "/console/limits"];
  const limit = limitIn(kind, data) ?? "";
  const what = group === "budget" ? `${word} ${name === null ? limit : quoteText(name)}` : word;
  const threshold = textIn(data, "threshold");
  const isShadow = data["mode"] === "shadow";
  const end = threshold === null ? ending(kind, isShadow) : `has reached ${percent(threshold)}`;
  return {
    title: `${what} ${end}`,
    facts: [...amountFacts(kind, data), ...scopeFacts(data), ...untilFacts(data)],
    advice:
      threshold === null
        ? adviceFor(kind, isShadow)
        : "Check what spends it, or raise it before it is used up.",
    path: path.endsWith("/") ? `${path}${encodeURIComponent(limit)}` : path,
    severity: threshold === null && !isShadow && kind !== "quota.low" ? "error" : "warning",
  };
}

function ending(kind: string, isShadow: boolean): string {
  if (kind === "quota.low") return "is low";
  if (kind === "credit_pack.expired") return "has expired";
  if (kind === "credit_pack.depleted") return "is used up";
  return isShadow ? "would have refused a call" : "is used up, and calls are refused";
}

function adviceFor(kind: string, isShadow: boolean): string {
  if (kind === "quota.low" || kind === "quota.exhausted") return "Top up the quota.";
  if (kind.startsWith("credit_pack.")) return "Give the customer another credit pack, or let them know.";
  if (kind === "plan.limit_reached") return "Ask whoever runs Sluice for a larger plan.";
  return isShadow
    ? "Nothing was refused, because the limit is a shadow. Raise it, or enforce it."
    : "Raise the limit, or wait until it resets.";
}

const percent = (share: string): string =>
  `${foreignText(String(Math.round(Number(share) * 1000) / 10), 10)} %`;

function amountFacts(kind: string, data: EventData): Fact[] {
  const unit = textIn(data, "unit");
  const [spent, most] = [numberIn(data, "spent") ?? numberIn(data, "used"), numberIn(data, "limit")];
  if (spent !== null && most !== null) {
    return [["Used", `${spent} of ${most} ${foreignText(unit ?? textIn(data, "limit_kind") ?? "")}`.trim()]];
  }
  const dollars = dollarsIn(data, "spent_usd");
  const cap = dollarsIn(data, "limit_usd") ?? dollarsIn(data, "cap_usd");
  if (dollars !== null && cap !== null) return [["Spent", `${dollars} of ${cap}`]];
  const left = dollarsIn(data, "available_usd");
  const asked = dollarsIn(data, "attempted_usd");
  const whole = dollarsIn(data, "amount_usd");
  return [
    ...(left === null ? [] : [["Left", left] as const]),
    ...(asked === null ? [] : [["A call asked for", asked] as const]),
    ...(whole === null ? [] : [[kind === "credit_pack.expired" ? "Expired" : "Credits", whole] as const]),
  ];
}

function scopeFacts(data: EventData): Fact[] {
  const [kind, id] = [textIn(data, "scope_kind"), textIn(data, "scope_id") ?? textIn(data, "customer_id")];
  const group = textIn(data, "group");
  return [
    ...(id === null || id === "*"
      ? []
      : [["For", `${foreignText(kind ?? "customer", 40)} ${quoteText(id)}`] as const]),
    ...(group === null ? [] : [["Counter", quoteText(group)] as const]),
  ];
}

function untilFacts(data: EventData): Fact[] {
  const until = textIn(data, "period_end") ?? textIn(data, "resets_at");
  return until === null ? [] : [["Resets", momentText(until)]];
}
