import type { UsageReport } from "../../../../contract/resources/usage/usage-report.ts";
import type { UsageTop } from "../../../../contract/resources/usage/usage-top.ts";
import type { DayAmount, Unit } from "../../view/chart-scale.ts";
import { type Failed, isUnread } from "../../view/unread.tsx";
import type { Visit } from "../../visit.ts";
import { amountOf, readReport, readTop, type Spending, wholeDays } from "./spending.ts";
import { groupOf, isDaily, rowFilter, type View } from "./tabs.ts";

const MOST_PARTS = 5;
const OTHER = "Other";
/** More names and days than these are not told apart. */
const MOST_ROWS = 20_000;
const TOO_MANY = "These are too many names to divide each day by them.";

/** Bars that are divided by names: the largest, and all others as one. */
export interface DayBreakdown {
  readonly days: readonly DayAmount[];
  readonly parts: readonly string[];
  /** Why they are not divided. */
  readonly note: string | null;
  /** Why a part of them could not be read. */
  readonly unread: Failed | null;
}

/** The amounts of one name, by day. */
type Amounts = ReadonlyMap<string, number>;

interface NamedDays {
  readonly name: string;
  readonly amounts: Amounts;
}

interface DaysByName {
  /** Null: too many, or not read. */
  readonly names: readonly NamedDays[] | null;
  readonly unread: Failed | null;
}

/** Divided by what the page tells spending apart by. */
export async function divideDays(
  visit: Visit,
  view: View,
  spending: Spending,
  who: NameSums | null,
): Promise<DayBreakdown> {
  const { range, unit } = view;
  const whole = wholeDays(spending, range, unit);
  const group = groupOf(view);
  if (group === null) return { days: whole, parts: [], note: null, unread: null };
  const { names, unread } = await namedDays(visit, view, group, who);
  if (names === null) return { days: whole, parts: [], note: unread === null ? TOO_MANY : null, unread };
  return { ...stack(whole, names), note: null, unread };
}

/** The sums that the list of names has read. */
interface NameSums {
  /** The dollars of names with sums by day. */
  readonly top: UsageTop | null;
  /** How many names there are, of those without. */
  readonly groups?: number;
}

async function namedDays(visit: Visit, view: View, group: string, who: NameSums | null): Promise<DaysByName> {
  if (!isDaily(view.by)) return fromRuns(visit, view, { group, names: who?.groups ?? null });
  if (view.unit !== "usd") return fromSums(visit, view);
  const top = who?.top ?? null;
  if (top !== null) return { names: fromTop(top), unread: null };
  const read = await readTop(visit, view.range, { by: view.by, limit: MOST_PARTS + 1 });
  return read.body === null ? { names: null, unread: read } : { names: fromTop(read.body), unread: null };
}

function fromTop({ data, days }: UsageTop): readonly NamedDays[] {
  const names = data.flatMap(({ name }) => name ?? []).slice(0, MOST_PARTS);
  return names.map((name) => ({
    name,
    amounts: new Map(
      days.map(({ date, parts }) => [date, Number(parts.find((part) => part.name === name)?.cost_usd ?? 0)]),
    ),
  }));
}

/** The largest by runs or tokens, and then the days of each. */
async function fromSums(visit: Visit, view: View): Promise<DaysByName> {
  const { range, unit } = view;
  const sort = unit === "usd" ? "cost_usd" : unit;
  const largest = await readTop(visit, range, { by: view.by, sort, limit: MOST_PARTS + 1 });
  if (largest.body === null) return { names: null, unread: largest };
  const names = largest.body.data.flatMap(({ name }) => name ?? []).slice(0, MOST_PARTS);
  const reports = await Promise.all(
    names.map((name) => readReport(visit, range, { group_by: "day", ...rowFilter(view, name) })),
  );
  const failed = reports.find(({ body }) => body === null);
  if (failed !== undefined) return { names: null, unread: failed };
  return {
    names: names.map((name, index) => ({
      name,
      amounts: new Map(
        reports[index]?.body?.data.map((row) => [String(row["day"]), Number(amountOf(unit, row))]),
      ),
    })),
    unread: null,
  };
}

interface RunsQuery {
  readonly group: string;
  /** How many there are. Null: it is not known. */
  readonly names: number | null;
}

async function fromRuns(visit: Visit, view: View, { group, names }: RunsQuery): Promise<DaysByName> {
  // Some names have no runs on some days, but hardly so many.
  if ((names ?? 0) * view.range.days > 2 * MOST_ROWS) return { names: null, unread: null };
  const asked = { group_by: `day,${group}`, limit: String(MOST_ROWS) };
  const answer = await readReport(visit, view.range, asked);
  const { body } = answer;
  // A tag that no run has divides nothing. The list of names says so.
  if (body === null) return isUnread(answer) ? { names: null, unread: answer } : { names: [], unread: null };
  if (body.groups > body.data.length) return { names: null, unread: null };
  return { names: largestOf(body, group, view.unit), unread: null };
}

const totalOf = (amounts: Amounts) => [...amounts.values()].reduce((sum, some) => sum + some, 0);

function largestOf({ data }: UsageReport, group: string, unit: Unit): readonly NamedDays[] {
  const found = new Map<string, Map<string, number>>();
  for (const row of data) {
    const name = nameIn(row, group);
    if (name === null) continue;
    const own = found.get(name) ?? new Map<string, number>();
    found.set(name, own.set(String(row["day"]), Number(amountOf(unit, row))));
  }
  return [...found]
    .map(([name, amounts]) => ({ name, amounts, total: totalOf(amounts) }))
    .toSorted((one, other) => other.total - one.total)
    .slice(0, MOST_PARTS);
}

const nameIn = (row: UsageReport["data"][number], group: string) => (row[group] as string | null) ?? null;

/** An amount that is less than this of a day is a rounding of sums, not another name. */
const NOTHING = 1e-6;

/** The last part of a day has no name. */
function stack(
  days: readonly DayAmount[],
  named: readonly NamedDays[],
): Pick<DayBreakdown, "parts" | "days"> {
  const restOf = ({ date, amount }: DayAmount) => {
    const rest = named.reduce((left, { amounts }) => left - (amounts.get(date) ?? 0), Number(amount));
    return rest > NOTHING ? rest : 0;
  };
  const hasRest = days.some((one) => restOf(one) > 0);
  return {
    parts: [...named.map(({ name }) => name), ...(hasRest ? [OTHER] : [])],
    days: days.map((one) => ({
      ...one,
      parts: [
        ...named.map(({ name, amounts }) => ({ name, amount: plain(amounts.get(one.date) ?? 0) })),
        ...(hasRest ? [{ name: OTHER, amount: plain(restOf(one)) }] : []),
      ],
    })),
  };
}

const plain = (amount: number): string => amount.toFixed(6);
