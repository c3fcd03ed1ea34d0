import type { TopOrder, UsageTop } from "../../../../contract/resources/usage/usage-top.ts";
import { Change, shareOfChange } from "../../view/change.tsx";
import { type Filter, Filters } from "../../view/filters.tsx";
import { count } from "../../view/format.ts";
import { customerAt, runsAt } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Card, Empty, Head, NoMatch } from "../../view/parts.tsx";
import { daysIn, type Range, rangeOf } from "../../view/range.ts";
import { RangePicker } from "../../view/range-picker.tsx";
import { type Column, Table } from "../../view/table.tsx";
import { type PageRequest, show, type ShownPage, type Visit } from "../../visit.ts";
import { unreadPage } from "../../page/refusal-page.tsx";
import { showLater } from "../../page/show-later.tsx";
import { readTop } from "../overview/spending.ts";

const UNDER = "/console/customers";

/** Customers by what they spend, by how much that changed, and by what they leave. */
const RANKINGS = [
  ["spend", "By spend"],
  ["change", "By change"],
  ["margin", "By margin"],
] as const;
type Ranking = (typeof RANKINGS)[number][0];
const ORDERS: Readonly<Record<Ranking, TopOrder>> = { spend: "cost_usd", change: "change", margin: "margin" };

const SHOWN = 100;
/** As long as an id may be. */
const LONGEST_PART = 128;

const FILTERS: readonly Filter[] = [{ name: "contains", title: "Customer contains" }];

type Row = UsageTop["data"][number];
/** Runs without a customer are in no row. */
type RankedCustomer = Row & { readonly name: string };

export const rankingIn = (query: URLSearchParams): Ranking | null =>
  RANKINGS.find(([name]) => name === query.get("by"))?.[0] ?? null;

function columnsOf(rows: readonly RankedCustomer[], range: Range): readonly Column<RankedCustomer>[] {
  const earned: readonly Column<RankedCustomer>[] = [
    { title: "Revenue", kind: "number", cell: ({ revenue_usd }) => <Usd of={revenue_usd} /> },
    {
      title: "Margin",
      kind: "number",
      cell: ({ margin_usd }) =>
        margin_usd?.startsWith("-") === true ? (
          <span class="loss">
            <Usd of={margin_usd} />
          </span>
        ) : (
          <Usd of={margin_usd} />
        ),
    },
  ];
  return [
    { title: "Customer", cell: ({ name }) => <a href={customerAt(name)}>{name}</a> },
    {
      title: "Spent",
      kind: "number",
      cell: ({ name, cost_usd }) => (
        <a href={runsAt({ customer_id: name }, range)}>
          <Usd of={cost_usd} />
        </a>
      ),
    },
    {
      title: "Change",
      kind: "number",
      cell: ({ cost_usd, previous_cost_usd }) => <Change now={cost_usd} before={previous_cost_usd} />,
      sortBy: ({ cost_usd, previous_cost_usd }) => shareOfChange(cost_usd, previous_cost_usd),
    },
    { title: "Before", kind: "number", cell: ({ previous_cost_usd }) => <Usd of={previous_cost_usd} /> },
    { title: "Runs", kind: "number", cell: ({ runs }) => count(runs) },
    ...(rows.some(({ revenue_usd }) => typeof revenue_usd === "string") ? earned : []),
  ];
}

/** Links to the list with limits and to each ranking, with the range kept. */
export function CustomerTabs({ by, range }: { by: Ranking | null; range: Range | null }) {
  const kept: Record<string, string> =
    range === null
      ? {}
      : { range: range.name, ...(range.name === "custom" ? { from: range.from, to: range.to } : {}) };
  const tabs = [["", "With limits"] as const, ...RANKINGS];
  return (
    <nav class="tabs" aria-label="Order">
      {tabs.map(([name, title]) => (
        <a
          href={name === "" ? UNDER : `${UNDER}?${new URLSearchParams({ by: name, ...kept })}`}
          {...(name === (by ?? "") ? { "aria-current": "true" } : {})}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}

export async function rankedCustomers(visit: Visit, ask: PageRequest, by: Ranking): Promise<ShownPage> {
  return showLater("Customers", UNDER, () => readRanking(visit, ask, by));
}

async function readRanking(visit: Visit, ask: PageRequest, by: Ranking): Promise<ShownPage> {
  const range = rangeOf(ask.query, visit.nowMs);
  const contains = ask.query.get("contains")?.trim() ?? "";
  const top = await readTop(visit, range, {
    by: "customer_id",
    sort: ORDERS[by],
    limit: SHOWN,
    ...(contains === "" ? {} : { contains: contains.slice(0, LONGEST_PART) }),
  });
  if (top.body === null) return unreadPage(top, UNDER);
  const { data, groups } = top.body;
  const rows = data.filter((row): row is RankedCustomer => row.name !== null);
  const content = (
    <>
      <Head title="Customers" about={`${daysIn(range)} (UTC), compared with ${daysIn(range.previous)}`}>
        <RangePicker range={range} path={UNDER} keep={{ by, contains }} />
      </Head>
      <Card
        title="What each spent"
        tools={<CustomerTabs by={by} range={range} />}
        note={groups > data.length ? `The first ${rows.length} of ${count(groups)}` : null}
        bare
      >
        <Filters
          path={UNDER}
          of={FILTERS}
          query={ask.query}
          answer={top}
          keep={{ by, ...askedRange(range) }}
        />
        {rows.length > 0 ? (
          <Table label="Customers" columns={columnsOf(rows, range)} rows={rows} hasFilters />
        ) : contains === "" ? (
          <Empty icon="customers" title="No customer spent anything">
            Choose other days. Runs name their customer in customer_id.
          </Empty>
        ) : (
          <NoMatch icon="customers" path={`${UNDER}?by=${by}`} />
        )}
      </Card>
    </>
  );
  return show("Customers", UNDER, content);
}

function askedRange({ name, from, to }: Range): Record<string, string> {
  return name === "custom" ? { range: name, from, to } : { range: name };
}
