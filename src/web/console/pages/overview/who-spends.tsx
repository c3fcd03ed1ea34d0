import type { UsageTop } from "../../../../contract/resources/usage/usage-top.ts";
import { Change } from "../../view/change.tsx";
import { Meter } from "../../view/charts.tsx";
import { Offered } from "../../view/form.tsx";
import { customerAt, runsAt } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Card } from "../../view/parts.tsx";
import { TryAgain, whyUnread } from "../../view/unread.tsx";
import type { Answer, Visit } from "../../visit.ts";
import { readReport, readTop } from "./spending.ts";
import { groupOf, isDaily, LISTS, rowFilter, type Tab, TABS, type View } from "./tabs.ts";

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

export interface Problem {
  /** Instead of rows. */
  readonly problem: string | null;
  /** The problem is that they could not be read. */
  readonly isUnread: boolean;
}

export interface WhoSpends extends Problem {
  readonly rows: readonly Spender[];
  /** The text above the rows. */
  readonly note?: string | null;
  /** Also by day, if sums are kept by day for these names. */
  readonly top: UsageTop | null;
  /** How many names there are, if no sums are kept by day for them. */
  readonly groups?: number;
}

export const NO_TAG: WhoSpends = {
  rows: [],
  problem: "Name a tag of your runs to see who spends by it.",
  isUnread: false,
  top: null,
};

export async function readWhoSpends(visit: Visit, view: View, most = MOST_ROWS): Promise<WhoSpends> {
  const group = groupOf(view);
  if (group === null) return NO_TAG;
  if (!isDaily(view.by)) return fromRuns(visit, view, group, most);
  const top = await readTop(visit, view.range, { by: view.by, limit: most });
  const rows = (top.body?.data ?? []).map(toSpender);
  return { rows, ...problemOf(top, rows.length), top: top.body };
}

export function toSpender({ name, cost_usd, previous_cost_usd }: UsageTop["data"][number]): Spender {
  return { id: name, usd: cost_usd, before: previous_cost_usd };
}

async function fromRuns(visit: Visit, { range }: View, group: string, most: number): Promise<WhoSpends> {
  const [now, earlier] = await Promise.all([
    readReport(visit, range, { group_by: group, limit: String(most) }),
    readReport(visit, range.previous, { group_by: group, limit: String(MOST_PREVIOUS) }),
  ]);
  const known = new Map(earlier.body?.data.map((row) => [row[group] as string | null, row.cost_usd]));
  const missing = (earlier.body?.groups ?? 0) > known.size ? null : "0.00";
  const rows = (now.body?.data ?? []).map((row) => {
    const id = row[group] as string | null;
    return { id, usd: row.cost_usd, before: known.get(id) ?? missing };
  });
  const problem = problemOf(now.body === null ? now : earlier, rows.length);
  return { rows, ...problem, top: null, groups: now.body?.groups ?? 0 };
}

export function problemOf(answer: Answer<unknown>, rows: number): Problem {
  const { error } = answer;
  if (error === null) return { problem: rows === 0 ? "No runs in these days." : null, isUnread: false };
  const { fields = [] } = error.details as { fields?: readonly { message: string }[] };
  return fields.some(({ message }) => message.includes("which no run has"))
    ? { problem: "No run has this tag.", isUnread: false }
    : { problem: whyUnread(answer), isUnread: true };
}

interface Props {
  readonly of: WhoSpends;
  /** The tags of the latest runs, to choose from. */
  readonly tags: readonly string[];
  readonly view: View;
  readonly nameOf: (id: string) => string;
  /** The address of another tab, with the rest of the view kept. */
  readonly at: (changes: Record<string, string>) => string;
}

export function WhoSpendsCard(props: Props) {
  const { by } = props.view;
  return (
    <Card title="Who spends" bare>
      <ListTabs {...props} />
      <nav class="tabs" aria-label="Spending by">
        {TABS.map(([name, title]) => (
          <a href={props.at({ by: name })} {...(name === by ? { "aria-current": "true" } : {})}>
            {title}
          </a>
        ))}
      </nav>
      {by === "tag" && <TagForm {...props} />}
      <Rows {...props} />
    </Card>
  );
}

/** The largest, what changed most, and what is unusual: three lists in one place. */
export function ListTabs({ view, at }: Pick<Props, "view" | "at">) {
  return (
    <nav class="tabs lists" aria-label="List">
      {LISTS.map(([name, title]) => (
        <a href={at({ list: name })} {...(name === view.list ? { "aria-current": "true" } : {})}>
          {title}
        </a>
      ))}
    </nav>
  );
}

function TagForm({ view, tags, at }: Props) {
  const { name, from, to } = view.range;
  const kept = {
    by: "tag",
    range: name,
    ...(name === "custom" ? { from, to } : {}),
    ...(view.unit === "usd" ? {} : { unit: view.unit }),
    ...(view.list === "most" ? {} : { list: view.list }),
  };
  return (
    <form class="inline-form" method="get" action="/console">
      {Object.entries(kept).map(([field, value]) => (
        <input type="hidden" name={field} value={value} />
      ))}
      <label for="tag">Tag</label>
      <input id="tag" name="tag" value={view.tag} placeholder="team" autocomplete="off" list="tags" />
      <Offered id="tags" of={tags} />
      <button type="submit">Show</button>
      {tags.map((tag) => (
        <a href={at({ by: "tag", tag })}>{tag}</a>
      ))}
    </form>
  );
}

function Rows({ of, view, nameOf }: Props) {
  const { rows, problem, note } = of;
  const { range, by } = view;
  if (problem !== null) {
    return (
      <p class="note-line">
        {problem} {of.isUnread && <TryAgain />}
      </p>
    );
  }
  const largest = Math.max(...rows.map(({ usd }) => Number(usd)), 0);
  return (
    <>
      {note && <p class="list-title">{note}</p>}
      <ol class="ranking">
        {rows.map(({ id, usd, before }) => (
          <li>
            <span class="label">
              <Name id={id} tab={by} nameOf={nameOf} />
              <a href={runsAt(rowFilter(view, id), range)}>
                <Usd of={usd} />
              </a>
            </span>
            <Meter spent={largest > 0 ? Number(usd) / largest : 0} label="Of the largest" plain />
            <span class="sub">
              {before !== null && <Change now={usd} before={before} />} before:{" "}
              {before === null ? (
                "little"
              ) : (
                <a href={runsAt(rowFilter(view, id), range.previous)}>
                  <Usd of={before} />
                </a>
              )}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
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
