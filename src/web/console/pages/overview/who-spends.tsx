import { type Dimension, DIMENSION_NAMES, TAG_NAME, TAG_PREFIX } from "../../../../contract/dimensions.ts";
import type { UsageReport } from "../../../../contract/resources/usage/usage-report.ts";
import { DAILY_KINDS } from "../../../../domain/usage-report/daily.ts";
import { Meter } from "../../view/charts.tsx";
import { dimensionTitle } from "../../view/format.ts";
import { Offered } from "../../view/form.tsx";
import { customerAt, runsAt } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Card } from "../../view/parts.tsx";
import type { Range } from "../../view/range.ts";
import { TryAgain, whyUnread } from "../../view/unread.tsx";
import type { Answer, Visit } from "../../visit.ts";
import { readTop } from "./spending.ts";
import { readTags } from "./tag-names.ts";

/** What spending can be told apart by. */
export type Tab = Dimension | "tag";
/** Asked for most. The others follow. */
const FIRST: readonly Dimension[] = ["customer_id", "department_id", "workflow_id", "model"];
const ORDERED: readonly Tab[] = [...FIRST, ...DIMENSION_NAMES.filter((name) => !FIRST.includes(name)), "tag"];
export const TABS: readonly (readonly [tab: Tab, title: string])[] = ORDERED.map((tab) => [
  tab,
  dimensionTitle(tab),
]);

const MOST_ROWS = 10;
/** Beyond these, what a name spent in the previous period is not looked up. */
const MOST_PREVIOUS = 1000;

export interface Spender {
  /** Null: runs that name none. */
  readonly id: string | null;
  readonly usd: string;
  /** Null: less than the names that were looked up. */
  readonly before: string | null;
}

export interface WhoSpends {
  readonly tab: Tab;
  readonly tag: string;
  readonly rows: readonly Spender[];
  /** Instead of rows. */
  readonly problem: string | null;
  /** The problem is that they could not be read. */
  readonly isUnread: boolean;
  /** The tags of the latest runs, to choose from. */
  readonly tags: readonly string[];
}

export async function readWhoSpends(visit: Visit, query: URLSearchParams, range: Range): Promise<WhoSpends> {
  const tab = TABS.find(([name]) => name === query.get("by"))?.[0] ?? "customer_id";
  const tags = tab === "tag" ? (await readTags(visit)).names : [];
  return { ...(await spendersOf(visit, query, range, tab)), tags };
}

async function spendersOf(
  visit: Visit,
  query: URLSearchParams,
  range: Range,
  tab: Tab,
): Promise<Omit<WhoSpends, "tags">> {
  const tag = query.get("tag")?.trim().toLowerCase() ?? "";
  if (tab === "tag" && !TAG_NAME.test(tag)) {
    return {
      tab,
      tag,
      rows: [],
      problem: "Name a tag of your runs to see who spends by it.",
      isUnread: false,
    };
  }
  // Sums are kept by day for these. All others are added up from the runs.
  if (!DAILY_KINDS.has(tab)) return fromRuns(visit, range, tab, tag);
  const top = await readTop(visit, range, tab, MOST_ROWS);
  const rows = (top.body?.data ?? []).map(({ name, cost_usd, previous_cost_usd }) => ({
    id: name,
    usd: cost_usd,
    before: previous_cost_usd,
  }));
  return { tab, tag, rows, ...problemOf(top, rows.length) };
}

async function fromRuns(visit: Visit, range: Range, tab: Tab, tag: string): Promise<Omit<WhoSpends, "tags">> {
  const group = tab === "tag" ? `tag:${tag}` : tab;
  const report = (from: string, to: string, limit: number) =>
    visit.api.get<UsageReport>(
      `${visit.org}/usage/report?${new URLSearchParams({ group_by: group, from, to, limit: String(limit) })}`,
    );
  const { previous } = range;
  const [now, earlier] = await Promise.all([
    report(range.from, range.to, MOST_ROWS),
    report(previous.from, previous.to, MOST_PREVIOUS),
  ]);
  const nameOf = (row: UsageReport["data"][number]) => row[group] as string | null;
  const known = new Map(earlier.body?.data.map((row) => [nameOf(row), row.cost_usd]));
  const missing = (earlier.body?.groups ?? 0) > known.size ? null : "0.00";
  const rows = (now.body?.data ?? []).map((row) => ({
    id: nameOf(row),
    usd: row.cost_usd,
    before: known.get(nameOf(row)) ?? missing,
  }));
  return { tab, tag, rows, ...problemOf(now.body === null ? now : earlier, rows.length) };
}

function problemOf(answer: Answer<unknown>, rows: number): Pick<WhoSpends, "problem" | "isUnread"> {
  const { error } = answer;
  if (error === null) return { problem: rows === 0 ? "No runs in these days." : null, isUnread: false };
  const { fields = [] } = error.details as { fields?: readonly { message: string }[] };
  return fields.some(({ message }) => message.includes("which no run has"))
    ? { problem: "No run has this tag.", isUnread: false }
    : { problem: whyUnread(answer), isUnread: true };
}

interface Props {
  readonly of: WhoSpends;
  readonly range: Range;
  readonly nameOf: (id: string) => string;
  /** The address of another tab, with the range kept. */
  readonly at: (changes: Record<string, string>) => string;
}

export function WhoSpendsCard(props: Props) {
  const { tab } = props.of;
  return (
    <Card title="Who spends" bare>
      <nav class="tabs" aria-label="Spending by">
        {TABS.map(([name, title]) => (
          <a href={props.at({ by: name })} {...(name === tab ? { "aria-current": "true" } : {})}>
            {title}
          </a>
        ))}
      </nav>
      {tab === "tag" && <TagForm {...props} />}
      <Rows {...props} />
    </Card>
  );
}

function TagForm({ of, range, at }: Props) {
  return (
    <form class="inline-form" method="get" action="/console">
      <input type="hidden" name="by" value="tag" />
      <input type="hidden" name="range" value={range.name} />
      {range.name === "custom" && (
        <>
          <input type="hidden" name="from" value={range.from} />
          <input type="hidden" name="to" value={range.to} />
        </>
      )}
      <label for="tag">Tag</label>
      <input id="tag" name="tag" value={of.tag} placeholder="team" autocomplete="off" list="tags" />
      <Offered id="tags" of={of.tags} />
      <button type="submit">Show</button>
      {of.tags.map((name) => (
        <a href={at({ by: "tag", tag: name })}>{name}</a>
      ))}
    </form>
  );
}

function Rows({ of, range, nameOf }: Props) {
  const { rows, tab, problem } = of;
  if (problem !== null) {
    return (
      <p class="note-line">
        {problem} {of.isUnread && <TryAgain />}
      </p>
    );
  }
  const largest = Math.max(...rows.map(({ usd }) => Number(usd)), 0);
  return (
    <ol class="ranking">
      {rows.map(({ id, usd, before }) => (
        <li>
          <span class="label">
            <Name id={id} tab={tab} nameOf={nameOf} />
            <a href={runsAt(soughtBy(of, id), range)}>
              <Usd of={usd} />
            </a>
          </span>
          <Meter spent={largest > 0 ? Number(usd) / largest : 0} label="Of the largest" plain />
          <span class="sub">
            before:{" "}
            {before === null ? (
              "little"
            ) : (
              <a href={runsAt(soughtBy(of, id), range.previous)}>
                <Usd of={before} />
              </a>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** The filter of the runs behind a row. */
function soughtBy({ tab, tag }: WhoSpends, id: string | null): Record<string, string> {
  if (id === null) return { without: tab === "tag" ? `${TAG_PREFIX}${tag}` : tab };
  return tab === "tag" ? { tag: `${tag}:${id}` } : { [tab]: id };
}

function Name({ id, tab, nameOf }: { id: string | null; tab: Tab; nameOf: (id: string) => string }) {
  if (id === null) return <span class="quiet">Not named</span>;
  if (tab === "customer_id") {
    return (
      <a href={customerAt(id)} title={id}>
        {id}
      </a>
    );
  }
  if (tab === "key_id") {
    return (
      <a href={`/console/keys/${encodeURIComponent(id)}`} title={id}>
        {nameOf(id)}
      </a>
    );
  }
  return <span title={id}>{id}</span>;
}
