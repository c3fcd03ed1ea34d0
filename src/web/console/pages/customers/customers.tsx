import type { CustomerStanding } from "../../../../contract/resources/customers.ts";
import { formatEnd } from "../../view/format.ts";
import { customerAt, runsIn } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Behind, Card, Empty, Head, Pager, UsedOf } from "../../view/parts.tsx";
import { pathFor } from "../../view/table-order.ts";
import { type Column, Table } from "../../view/table.tsx";
import {
  type PageRequest,
  listPath,
  type ListOf,
  pagesOf,
  show,
  type PageResponse,
  type Visit,
} from "../../visit.ts";
import { unreadPage } from "../../page/refusal-page.tsx";
import { CustomerTabs, rankedCustomers, rankingIn } from "./customer-ranking.tsx";

export const UNDER = "/console/customers";

/** The spend of a customer in a period, linked to the runs. */
function spentIn({ customer_id, spent }: CustomerStanding, period: string) {
  const found = spent.find((one) => one.period === period);
  return (
    <Behind href={found === undefined ? null : runsIn({ customer_id }, found)}>
      <Usd of={found?.spent_usd} />
    </Behind>
  );
}

/** The limit with the least room. */
const tightest = ({ limits }: CustomerStanding) =>
  limits.toSorted((one, other) => Number(one.available_usd) - Number(other.available_usd))[0];

const COLUMNS: readonly Column<CustomerStanding>[] = [
  {
    title: "Customer",
    cell: ({ customer_id, name, last_run_on }) => (
      <>
        <a href={customerAt(customer_id)}>{name ?? customer_id}</a>
        {name !== null && <code class="sub">{customer_id}</code>}
        <span class="sub">{last_run_on === null ? "No runs" : `Last run on ${last_run_on}`}</span>
      </>
    ),
  },
  { title: "Today", kind: "number", cell: (row) => spentIn(row, "day") },
  { title: "This month", kind: "number", cell: (row) => spentIn(row, "month") },
  {
    title: "Limit",
    kind: "meter",
    cell: (row) => {
      const limit = tightest(row);
      return limit === undefined ? (
        <span class="quiet">None</span>
      ) : (
        <UsedOf spent={limit.spent_usd} held={limit.reserved_usd} limit={limit.limit_usd} />
      );
    },
  },
  { title: "Resets", kind: "moment", cell: (row) => formatEnd(tightest(row)?.resets_at) },
  {
    title: "Credits left",
    kind: "number",
    cell: ({ credits }) =>
      credits === null ? <span class="quiet">–</span> : <Usd of={credits.remaining_usd} />,
  },
];

/** Of this month, until today. */
const EARNED: readonly Column<CustomerStanding>[] = [
  { title: "Revenue", kind: "number", cell: ({ revenue_usd }) => <Usd of={revenue_usd} /> },
  { title: "Margin", kind: "number", cell: ({ margin_usd }) => <Usd of={margin_usd} /> },
];

/** With what customers pay, where any of them has that and the reader may know it. */
function columnsFor(rows: readonly CustomerStanding[]): readonly Column<CustomerStanding>[] {
  const isKnown = rows.some(({ revenue_usd }) => typeof revenue_usd === "string");
  return isKnown ? [...COLUMNS.slice(0, 3), ...EARNED, ...COLUMNS.slice(3)] : COLUMNS;
}

export async function listCustomers(visit: Visit, ask: PageRequest): Promise<PageResponse> {
  const ranking = rankingIn(ask.query);
  if (ranking !== null) return rankedCustomers(visit, ask, ranking);
  const answer = await visit.api.get<ListOf<CustomerStanding>>(
    pathFor(listPath(`${visit.org}/customers`, ask.query, []), ask.query, "Customers"),
  );
  if (answer.body === null) return unreadPage(answer, UNDER);
  const rows = answer.body.data;
  const content = (
    <>
      <Head title="Customers" about="What each of your customers spent, and what they have left.">
        <a class="button" href="/console/customer-limits">
          Limits
        </a>
        <a class="button" href="/console/packs">
          Credit packs
        </a>
      </Head>
      <Card title="How they stand" tools={<CustomerTabs by={null} range={null} />} bare>
        {rows.length > 0 ? (
          <Table label="Customers" columns={columnsFor(rows)} rows={rows} />
        ) : (
          <Empty icon="customers" title="No customers yet">
            Send customer_id with each decision and run. Then each customer has a page here.
          </Empty>
        )}
        <Pager {...pagesOf(UNDER, ask.query, answer.body.next_cursor)} />
      </Card>
    </>
  );
  return show("Customers", UNDER, content);
}
