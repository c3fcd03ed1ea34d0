import type { UsageReport } from "../../../../contract/resources/usage/usage-report.ts";
import { Change, shareOfChange } from "../../view/change.tsx";
import { type Filter, Filters } from "../../view/filters.tsx";
import { count } from "../../view/format.ts";
import { customerAt, runsAt } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Card, Empty, Head, NoMatch } from "../../view/parts.tsx";
import { daysIn, type Range, rangeOf } from "../../view/range.ts";
import { RangePicker } from "../../view/range-picker.tsx";
import { type Column, Table } from "../../view/table.tsx";
import { type PageRequest, show, type PageResponse, type Visit } from "../../visit.ts";
import { unreadPage } from "../../page/refused.tsx";

const UNDER = "/console/customers";

/** Customers by what they spend, by how much that changed, and by what they leave. */
const RANKINGS = [
  ["spend", "By spend"],
  ["change", "By change"],
  ["margin", "By margin"],
] as const;
type Ranking = (typeof RANKINGS)[number][0];

/** The customers that spent most are compared. A page shows the first of them. */
const MOST_COMPARED = 1000;
const SHOWN = 100;

const FILTERS: readonly Filter[] = [{ name: "contains", title: "Customer contains" }];

export interface RankedCustomer {
  readonly id: string;
  readonly usd: string;
  readonly before: string;
  readonly runs: number;
  /** Undefined: the reader may not know. Null: nobody has set it. */
  readonly revenue: string | null | undefined;
  readonly margin: string | null | undefined;
}

export const rankingIn = (query: URLSearchParams): Ranking | null =>
  RANKINGS.find(([name]) => name === query.get("by"))?.[0] ?? null;

/** The largest spend, the largest change, or the least margin first. A customer without a margin comes last. */
export function ranked(rows: readonly RankedCustomer[], by: Ranking): RankedCustomer[] {
  const changeIn = ({ usd, before }: RankedCustomer) => Math.abs(Number(usd) - Number(before));
  const marginOf = ({ margin }: RankedCustomer) => (typeof margin === "string" ? Number(margin) : Infinity);
  return rows.toSorted((one, other) => {
    if (by === "change") return changeIn(other) - changeIn(one);
    return by === "margin" && marginOf(one) !== marginOf(other)
      ? marginOf(one) - marginOf(other)
      : Number(other.usd) - Number(one.usd);
  });
}

function rowsOf(now: UsageReport, earlier: UsageReport | null): RankedCustomer[] {
  const known = new Map(earlier?.data.map((row) => [row["customer_id"], row.cost_usd]));
  const stopped = (earlier?.data ?? []).filter(
    ({ customer_id: id }) => !now.data.some((row) => row["customer_id"] === id),
  );
  const all = [
    ...now.data.map((row) => ({ row, usd: row.cost_usd, runs: row.runs })),
    ...stopped.map((row) => ({ row, usd: "0.00", runs: 0 })),
  ];
  return all.flatMap(({ row, usd, runs }) => {
    const id = row["customer_id"];
    if (typeof id !== "string") return [];
    const { revenue_usd: revenue, margin_usd: margin } = runs === 0 ? {} : row;
    return [{ id, usd, before: known.get(id) ?? "0.00", runs, revenue, margin }];
  });
}

function columnsOf(rows: readonly RankedCustomer[], range: Range): readonly Column<RankedCustomer>[] {
  const earned: readonly Column<RankedCustomer>[] = [
    { title: "Revenue", kind: "number", cell: ({ revenue }) => <Usd of={revenue} /> },
    {
      title: "Margin",
      kind: "number",
      cell: ({ margin }) =>
        typeof margin === "string" && margin.startsWith("-") ? (
          <span class="loss">
            <Usd of={margin} />
          </span>
        ) : (
          <Usd of={margin} />
        ),
    },
  ];
  return [
    { title: "Customer", cell: ({ id }) => <a href={customerAt(id)}>{id}</a> },
    {
      title: "Spent",
      kind: "number",
      cell: ({ id, usd }) => (
        <a href={runsAt({ customer_id: id }, range)}>
          <Usd of={usd} />
        </a>
      ),
    },
    {
      title: "Change",
      kind: "number",
      cell: ({ usd, before }) => <Change now={usd} before={before} />,
      sortBy: ({ usd, before }) => shareOfChange(usd, before),
    },
    { title: "Before", kind: "number", cell: ({ before }) => <Usd of={before} /> },
    { title: "Runs", kind: "number", cell: ({ runs }) => count(runs) },
    ...(rows.some(({ revenue }) => typeof revenue === "string") ? earned : []),
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

export async function rankedCustomers(visit: Visit, ask: PageRequest, by: Ranking): Promise<PageResponse> {
  const range = rangeOf(ask.query, visit.nowMs);
  const read = ({ from, to }: Pick<Range, "from" | "to">) => {
    const asked = { group_by: "customer_id", limit: String(MOST_COMPARED), from, to };
    return visit.api.get<UsageReport>(`${visit.org}/usage/report?${new URLSearchParams(asked)}`);
  };
  const [now, earlier] = await Promise.all([read(range), read(range.previous)]);
  if (now.body === null || earlier.body === null) {
    return unreadPage(now.body === null ? now : earlier, UNDER);
  }
  const contains = ask.query.get("contains")?.trim() ?? "";
  const rows = ranked(rowsOf(now.body, earlier.body), by).filter(({ id }) =>
    id.toLowerCase().includes(contains.toLowerCase()),
  );
  const isCut = [now, earlier].some(({ body }) => (body?.groups ?? 0) > MOST_COMPARED);
  const content = (
    <>
      <Head title="Customers" about={`${daysIn(range)} (UTC), compared with ${daysIn(range.previous)}`}>
        <RangePicker range={range} path={UNDER} keep={{ by, contains }} />
      </Head>
      <Card
        title="What each spent"
        tools={<CustomerTabs by={by} range={range} />}
        note={noteOf(rows.length, isCut)}
        bare
      >
        <Filters
          path={UNDER}
          of={FILTERS}
          query={ask.query}
          answer={now}
          keep={{ by, ...askedRange(range) }}
        />
        {rows.length > 0 ? (
          <Table label="Customers" columns={columnsOf(rows, range)} rows={rows.slice(0, SHOWN)} hasFilters />
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

function noteOf(rows: number, isCut: boolean): string | null {
  const most = count(MOST_COMPARED);
  if (isCut) return `The first ${Math.min(rows, SHOWN)} of the ${most} that spent most`;
  return rows > SHOWN ? `The first ${SHOWN} of ${count(rows)}` : null;
}
