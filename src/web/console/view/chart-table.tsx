import { useContext } from "hono/jsx";
import { type DayAmount, type Unit, formatChartAmount } from "./chart-scale.ts";
import { day, percent, share } from "./format.ts";
import { orderIn, PageAddressContext } from "./table-order.ts";
import { type Column, Table } from "./table.tsx";

const LABEL = "Figures of the chart";

interface Row {
  readonly of: DayAmount;
  readonly before: DayAmount | undefined;
}

/** The figures of a chart, for those who do not see it and those who want to copy them. */
export function ChartTable(props: {
  readonly days: readonly DayAmount[];
  readonly before: readonly DayAmount[];
  readonly parts: readonly string[];
  readonly unit: Unit;
  readonly cap: string | null;
  readonly hrefOf: (date: string) => string;
}) {
  const { unit, cap, before, parts } = props;
  const columns: Column<Row>[] = [
    {
      title: "Day",
      kind: "moment",
      cell: ({ of }) => <a href={props.hrefOf(of.date)}>{day(of.date)}</a>,
      sortBy: ({ of }) => of.date,
    },
    { title: "Total", kind: "number", cell: ({ of }) => formatChartAmount(of.amount, unit) },
    ...parts.map((name, index): Column<Row> => ({
      title: name,
      kind: "number",
      cell: ({ of }) => formatChartAmount(of.parts?.[index]?.amount ?? "0", unit),
    })),
  ];
  if (cap !== null) {
    columns.push({
      title: "Of the cap",
      kind: "number",
      cell: ({ of }) => percent(share(of.amount, cap)),
    });
  }
  if (before.length > 0) {
    columns.push({
      title: "Before",
      kind: "number",
      cell: ({ before: earlier }) => (earlier === undefined ? "–" : formatChartAmount(earlier.amount, unit)),
    });
  }
  const address = useContext(PageAddressContext);
  const isSorted = address !== null && orderIn(address.query, LABEL) !== null;
  const rows = props.days.map((of, index) => ({ of, before: before[index] }));
  return (
    <details class="figures" open={isSorted}>
      <summary>As a table</summary>
      <Table label={LABEL} columns={columns} rows={rows} hasFilters />
    </details>
  );
}
