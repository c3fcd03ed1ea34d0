import type { Model } from "../../../../contract/resources/models.ts";
import type { PriceRevision } from "../../../../contract/resources/prices/prices.ts";
import { TOKEN_CLASS_NAMES, type TokenClass } from "../../../../contract/token-classes.ts";
import { costOf } from "../../../../domain/price/cost.ts";
import { priceOf } from "../../../../domain/price/terms.ts";
import { formatUsd } from "../../../../domain/price/money.ts";
import type { NameOf } from "../../names.ts";
import { count, formatMoment, usd } from "../../view/format.ts";
import { Badge, Card, type Fact, Status } from "../../view/parts.tsx";
import { Rows } from "../../view/rows.tsx";
import { type Column, Table } from "../../view/table.tsx";
import type { PageRequest, ListOf, Visit } from "../../visit.ts";

/** An example call that people can picture: about two pages in, one page out. */
const SAMPLE = { input_tokens: 1000, output_tokens: 500 };

export function sampleCost(row: Model): string {
  const cost = costOf(priceOf(row), SAMPLE);
  return typeof cost === "bigint" ? usd(formatUsd(cost)) : "";
}

/** Where the price comes from, and from when on if it is yet to start. */
export function sourceAndStart(row: Model, nowMs: number) {
  return (
    <>
      {sourceOf(row)}
      {startsLater(row, nowMs) && <span class="sub">from {formatMoment(row.effective_at)}</span>}
    </>
  );
}

function startsLater({ effective_at }: Pick<Model, "effective_at">, nowMs: number): boolean {
  return Date.parse(effective_at) > nowMs;
}

export function sourceOf({ source }: Pick<Model, "source">) {
  return source === "org" ? (
    <Badge tone="accent">your organization</Badge>
  ) : (
    <Badge tone="plain">platform</Badge>
  );
}

const named = (name: string) => name.replaceAll("_", " ");

type Rates = { readonly [Class in TokenClass as `${Class}_usd_per_mtok`]?: string | null | undefined };

/** The classes that have a rate of their own. */
function classRates(rates: Rates): (readonly [name: string, amount: string])[] {
  return TOKEN_CLASS_NAMES.flatMap((name) => {
    const amount = rates[`${name}_usd_per_mtok`] ?? null;
    return amount === null ? [] : [[named(name), amount] as const];
  });
}

type TextFact = [name: string, value: string];

function tierFacts(tiers: Model["tiers"]): TextFact[] {
  return tiers.map((tier) => {
    const rates = [
      `${usd(tier.input_usd_per_mtok)} in`,
      `${usd(tier.output_usd_per_mtok)} out`,
      ...classRates(tier).map(([name, amount]) => `${usd(amount)} ${name}`),
    ];
    return [`above ${count(tier.above_input_tokens)} input tokens`, rates.join(", ")];
  });
}

function unitFacts(units: Model["units"]): TextFact[] {
  return Object.entries(units).map(([unit, each]) => [`one ${named(unit)}`, usd(each)]);
}

function variantFacts(variants: Model["variants"]): TextFact[] {
  return Object.entries(variants).map(([name, factor]) => [name, `${factor} times the rates`]);
}

export function priceFacts(row: Model, _nameOf: NameOf, nowMs: number): readonly Fact[] {
  return [
    ["Price from", sourceOf(row)],
    ["Provider", row.provider ?? "Not given"],
    ["1,000 tokens in, 500 out", sampleCost(row)],
    ["Input, per million", usd(row.input_usd_per_mtok)],
    ["Output, per million", usd(row.output_usd_per_mtok)],
    ...classRates(row).map(([name, amount]): Fact => [`${name}, per million`, usd(amount)]),
    ...unitFacts(row.units),
    ...tierFacts(row.tiers),
    ...variantFacts(row.variants),
    ["Regions", row.regions?.join(", ") ?? "Everywhere"],
    [startsLater(row, nowMs) ? "No price before" : "In effect since", formatMoment(row.effective_at)],
    ["Revision", String(row.revision)],
  ];
}

/** All of a revision but its input and output rate. */
function otherRates(row: PriceRevision): string {
  const facts = [
    ...classRates(row).map(([name, amount]): TextFact => [name, usd(amount)]),
    ...unitFacts(row.units ?? {}),
    ...tierFacts(row.tiers ?? []),
    ...variantFacts(row.variants ?? {}),
  ];
  return facts.map(([name, value]) => `${name}: ${value}`).join("; ") || "–";
}

const HISTORY: readonly Column<PriceRevision>[] = [
  { title: "Revision", kind: "number", cell: ({ revision }) => revision },
  { title: "State", cell: ({ status }) => <Status is={status} /> },
  { title: "Price from", cell: sourceOf },
  { title: "From", kind: "moment", cell: ({ effective_at }) => formatMoment(effective_at) },
  { title: "Input, per million", kind: "number", cell: (row) => rate(row.input_usd_per_mtok) },
  { title: "Output, per million", kind: "number", cell: (row) => rate(row.output_usd_per_mtok) },
  { title: "Other rates", cell: otherRates },
];

const MOST_REVISIONS = 50;
const NOTE = "Runs name the revision that they were priced by.";

function rate(amount: string | undefined) {
  return amount === undefined ? "removed" : usd(amount);
}

/** The past and future prices of the model. */
export async function priceHistory(visit: Visit, _ask: PageRequest, { model }: Model) {
  const path = `${visit.org}/models/${encodeURIComponent(model)}/prices?limit=${MOST_REVISIONS}`;
  const answer = await visit.api.get<ListOf<PriceRevision>>(path);
  const isAll = (answer.body?.next_cursor ?? null) === null;
  return (
    <Card title="History" note={isAll ? NOTE : `${NOTE} The latest ${MOST_REVISIONS}.`} bare>
      <Rows of={answer} none="No prices are kept.">
        {(rows) => <Table label="Revisions of the price" columns={HISTORY} rows={rows} />}
      </Rows>
    </Card>
  );
}
