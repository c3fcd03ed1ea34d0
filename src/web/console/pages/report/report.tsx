import type { SpendCap } from "../../../../contract/resources/spend-cap.ts";
import { readNames } from "../../names.ts";
import { unreadPage } from "../../page/refusal-page.tsx";
import { showLater } from "../../page/show-later.tsx";
import { Change, shareOfChange } from "../../view/change.tsx";
import { count, dimensionTitle } from "../../view/format.ts";
import { runsAt } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Card, Head, Tile, Tiles } from "../../view/parts.tsx";
import { dateOf, daysIn, rangeOf } from "../../view/range.ts";
import { RangePicker } from "../../view/range-picker.tsx";
import { type Column, Table } from "../../view/table.tsx";
import { isUnread, TryAgain, Unread } from "../../view/unread.tsx";
import { type PageRequest, hasRole, show, type ShownPage, type Visit } from "../../visit.ts";
import { divideDays } from "../overview/day-breakdown.ts";
import { readForecast, SpendCard } from "../overview/spend-card.tsx";
import { isSpending, readSpending, type Sums } from "../overview/spending.ts";
import { addressOf, groupOf, viewFields, rowFilter, TABS, type View, viewOf } from "../overview/tabs.ts";
import { readUnusual, unusualIds, UnusualLines } from "../overview/unusual.tsx";
import { readWhoSpends, type Spender } from "../overview/who-spends.tsx";

export const REPORT_PATH = "/console/report";

/** More names than these are for the file. */
const MOST_ROWS = 50;

/** The spend of some days, on one page: to read, to print, to send on as a link, or to download. */
export async function report(visit: Visit, ask: PageRequest): Promise<ShownPage> {
  return showLater("Spend report", REPORT_PATH, () => readReport(visit, ask));
}

async function readReport(visit: Visit, ask: PageRequest): Promise<ShownPage> {
  const view = viewOf(ask.query, rangeOf(ask.query, visit.nowMs));
  const { range } = view;
  const [who, spending, forecast, unusual, cap] = await Promise.all([
    readWhoSpends(visit, view, MOST_ROWS),
    readSpending(visit, range),
    readForecast(visit, view),
    readUnusual(visit, range),
    visit.api.get<SpendCap>(`${visit.org}/spend-cap`),
  ]);
  if (!isSpending(spending)) return unreadPage(spending, REPORT_PATH);
  const keys = view.by === "key_id" ? who.rows.map(({ id }) => id) : [];
  const nameOf = await readNames(visit, [...keys, ...unusualIds(unusual)]);
  const at = (changes: Record<string, string>) => addressOf(REPORT_PATH, view, changes);
  const content = (
    <>
      <Head
        title="Spend report"
        about={`${visit.visitor.orgName}, ${daysIn(range)} (UTC), compared with ${daysIn(range.previous)}`}
      >
        <RangePicker range={range} path={REPORT_PATH} keep={viewFields(view)} />
        <a class="button" href={exportAt(view)}>
          Download CSV
        </a>
        <a class="button" href={hasRole(visit, "admin") ? "/console/digests/new" : "/console/digests"}>
          By mail
        </a>
      </Head>
      <Totals now={spending.totals} before={spending.previous} />
      <SpendCard
        spending={spending}
        divided={await divideDays(visit, view, spending, who)}
        view={view}
        forecast={forecast}
        cap={cap.body?.cap_usd ?? null}
        nameOf={nameOf}
        at={at}
      />
      {isUnread(cap) && (
        <Card title="Daily cap" bare>
          <Unread of={cap} />
        </Card>
      )}
      <Card title={`By ${nameOfTab(view)}`} tools={<DimensionTabs view={view} at={at} />} bare>
        {who.problem === null ? (
          <Table
            label="Spend"
            columns={columnsOf(view, Number(spending.totals.cost_usd), nameOf)}
            rows={who.rows}
          />
        ) : (
          <p class="note-line">
            {who.problem} {who.isUnread && <TryAgain />}
          </p>
        )}
      </Card>
      <Card title="Unusual" bare>
        {typeof unusual === "string" ? (
          <p class="note-line">
            {unusual} <TryAgain />
          </p>
        ) : (
          <UnusualLines of={unusual} nameOf={nameOf} />
        )}
      </Card>
      <p class="quiet small">
        Made {dateOf(visit.nowMs)}. The address of this page has all that it shows: whoever may sign in to
        this organization sees the same.
      </p>
    </>
  );
  return show("Spend report", REPORT_PATH, content);
}

function Totals({ now, before }: { now: Sums; before: Sums }) {
  return (
    <Tiles>
      <Tile
        label="Spent"
        value={
          <>
            <Usd of={now.cost_usd} /> <Change now={now.cost_usd} before={before.cost_usd} />
          </>
        }
      >
        before: <Usd of={before.cost_usd} />
      </Tile>
      {(["runs", "tokens"] as const).map((unit) => (
        <Tile
          label={unit === "runs" ? "Runs" : "Tokens"}
          value={
            <>
              {count(now[unit])} <Change now={now[unit]} before={before[unit]} />
            </>
          }
        >
          before: {count(before[unit])}
        </Tile>
      ))}
      <Tile label="Saved" value={<Usd of={now.saved_usd} />}>
        by caches and batches
      </Tile>
    </Tiles>
  );
}

const nameOfTab = ({ by, tag }: View) => (by === "tag" ? `tag ${tag}` : dimensionTitle(by).toLowerCase());

function DimensionTabs({ view, at }: { view: View; at: (changes: Record<string, string>) => string }) {
  return (
    <nav class="tabs" aria-label="Spending by">
      {TABS.filter(([name]) => name !== "tag" || view.tag !== "").map(([name, title]) => (
        <a href={at({ by: name })} {...(name === view.by ? { "aria-current": "true" } : {})}>
          {title}
        </a>
      ))}
    </nav>
  );
}

function columnsOf(view: View, total: number, nameOf: (id: string) => string): readonly Column<Spender>[] {
  return [
    {
      title: dimensionTitle(view.by),
      cell: ({ id }) =>
        id === null ? <span class="quiet">Not named</span> : view.by === "key_id" ? nameOf(id) : id,
    },
    {
      title: "Spent",
      kind: "number",
      cell: ({ id, usd }) => (
        <a href={runsAt(rowFilter(view, id), view.range)}>
          <Usd of={usd} />
        </a>
      ),
    },
    {
      title: "Share",
      kind: "number",
      cell: ({ usd }) => (total > 0 ? `${((Number(usd) / total) * 100).toFixed(1)} %` : "–"),
    },
    {
      title: "Change",
      kind: "number",
      cell: ({ usd, before }) => (before === null ? "–" : <Change now={usd} before={before} />),
      sortBy: ({ usd, before }) => (before === null ? null : shareOfChange(usd, before)),
    },
    { title: "Before", kind: "number", cell: ({ before }) => <Usd of={before} /> },
  ];
}

/** The same days by the same names, all of them, as a file. */
function exportAt(view: View): string {
  const { from, to } = view.range;
  const group = groupOf(view) ?? "model";
  return `${REPORT_PATH}/export?${new URLSearchParams({ group_by: `day,${group}`, from, to })}`;
}
