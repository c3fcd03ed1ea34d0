import type { Model } from "../../../contract/resources/models.ts";
import type { PriceRevision } from "../../../contract/resources/prices.ts";
import { TOKEN_CLASS_NAMES } from "../../../contract/token-classes.ts";
import { costOf } from "../../../domain/price/cost.ts";
import { priceOf } from "../../../domain/price/terms.ts";
import { formatUsd } from "../../../domain/money.ts";
import { count, moment, usd } from "../view/format.ts";
import { Badge, Card, type Fact, Status } from "../view/parts.tsx";
import { type Column, Table } from "../view/table.tsx";
import type { Ask, Visit } from "../visit.ts";

/** An example call that people can picture: about two pages in, one page out. */
const SAMPLE = { input_tokens: 1000, output_tokens: 500 };

export function sampleCost(row: Model): string {
  const cost = costOf(priceOf(row), SAMPLE);
  return typeof cost === "bigint" ? usd(formatUsd(cost)) : "";
}

export function sourceOf({ source }: Pick<Model, "source">) {
  return source === "org" ? (
    <Badge tone="accent">your organization</Badge>
  ) : (
    <Badge tone="plain">platform</Badge>
  );
}

const named = (name: string) => name.replaceAll("_", " ");

export function priceFacts(row: Model): readonly Fact[] {
  const classes = TOKEN_CLASS_NAMES.flatMap((name): Fact[] => {
    const amount = row[`${name}_usd_per_mtok`];
    return amount === null ? [] : [[`${named(name)}, per million`, usd(amount)]];
  });
  const units = Object.entries(row.units).map(([unit, each]): Fact => [`one ${named(unit)}`, usd(each)]);
  const tiers = row.tiers.map((tier): Fact => [
    `above ${count(tier.above_input_tokens)} input tokens`,
    `${usd(tier.input_usd_per_mtok)} in, ${usd(tier.output_usd_per_mtok)} out`,
  ]);
  const variants = Object.entries(row.variants).map(([name, factor]): Fact => [
    name,
    `${factor} times the rates`,
  ]);
  return [
    ["Price of", sourceOf(row)],
    ["Provider", row.provider ?? "Not given"],
    ["1,000 tokens in, 500 out", sampleCost(row)],
    ["Input, per million", usd(row.input_usd_per_mtok)],
    ["Output, per million", usd(row.output_usd_per_mtok)],
    ...classes,
    ...units,
    ...tiers,
    ...variants,
    ["Regions", row.regions?.join(", ") ?? "Everywhere"],
    ["In effect since", moment(row.effective_at)],
    ["Revision", String(row.revision)],
  ];
}

const HISTORY: readonly Column<PriceRevision>[] = [
  { title: "Revision", kind: "number", cell: ({ revision }) => revision },
  { title: "State", cell: ({ status }) => <Status is={status} /> },
  { title: "Price of", cell: sourceOf },
  { title: "From", kind: "moment", cell: ({ effective_at }) => moment(effective_at) },
  { title: "Input, per million", kind: "number", cell: (row) => rate(row.input_usd_per_mtok) },
  { title: "Output, per million", kind: "number", cell: (row) => rate(row.output_usd_per_mtok) },
];

function rate(amount: string | undefined) {
  return amount === undefined ? "removed" : usd(amount);
}

/** What the model has cost, and what it will cost. */
export async function priceHistory(visit: Visit, _ask: Ask, { model }: Model) {
  const path = `${visit.org}/models/${encodeURIComponent(model)}/prices?limit=50`;
  const { body } = await visit.api.get<{ data: PriceRevision[] }>(path);
  if (body === null) return null;
  return (
    <Card title="History" note="Runs name the revision that they were priced by." bare>
      <Table label="Revisions of the price" columns={HISTORY} rows={body.data} />
    </Card>
  );
}
