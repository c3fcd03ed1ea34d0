import { formatUsd, parseUsd } from "../../../../domain/price/money.ts";
import type { UsageReport } from "../../../../contract/resources/usage/usage-report.ts";
import type { Visit } from "../../visit.ts";
import { readReport, readTop } from "./spending.ts";
import { groupOf, isDaily, type View } from "./tabs.ts";
import { NO_TAG, problemOf, type Spender, toSpender, type WhoSpends } from "./who-spends.tsx";

const MOST_ROWS = 10;
/** The names of each period that are compared, the largest first. */
const MOST_COMPARED = 1000;

/** By how much a name spent more or less than before, in nano-dollars. Never below zero. */
function differenceOf({ usd, before }: Spender): bigint {
  const difference = nanosOf(usd) - nanosOf(before ?? "0");
  return difference < 0n ? -difference : difference;
}

const nanosOf = (text: string): bigint =>
  text.startsWith("-") ? -(parseUsd(text.slice(1)) ?? 0n) : (parseUsd(text) ?? 0n);

/** Both periods beside each other, by how much each name changed. A name that stopped spending is among them. */
export function rankByChange(
  now: ReadonlyMap<string | null, string>,
  earlier: ReadonlyMap<string | null, string>,
): Spender[] {
  const nothing = formatUsd(0n);
  return [...new Set([...now.keys(), ...earlier.keys()])]
    .map((id) => ({ id, usd: now.get(id) ?? nothing, before: earlier.get(id) ?? nothing }))
    .filter((one) => differenceOf(one) > 0n)
    .toSorted((one, other) => Number(differenceOf(other) - differenceOf(one)));
}

export async function readChanged(visit: Visit, view: View): Promise<WhoSpends> {
  const group = groupOf(view);
  if (group === null) return NO_TAG;
  if (isDaily(view.by)) return fromSums(visit, view);
  const asked = { group_by: group, limit: String(MOST_COMPARED) };
  const [now, earlier] = await Promise.all([
    readReport(visit, view.range, asked),
    readReport(visit, view.range.previous, asked),
  ]);
  const failed = problemOf(now.body === null ? now : earlier, 1);
  if (failed.problem !== null) return { ...failed, rows: [], top: null };
  const rows = rankByChange(costsIn(now.body, group), costsIn(earlier.body, group)).slice(0, MOST_ROWS);
  const isCut = [now, earlier].some(({ body }) => (body?.groups ?? 0) > MOST_COMPARED);
  return {
    rows,
    problem: rows.length === 0 ? "Nothing changed." : null,
    isUnread: false,
    note: isCut ? `Of the ${MOST_COMPARED.toLocaleString("en-US")} that spent most in each period` : null,
    top: null,
    groups: now.body?.groups ?? 0,
  };
}

/** All names are compared, by sums that are kept by day. */
async function fromSums(visit: Visit, { range, by }: View): Promise<WhoSpends> {
  const top = await readTop(visit, range, { by, sort: "change", limit: MOST_ROWS });
  const rows = (top.body?.data ?? []).map(toSpender).filter((one) => differenceOf(one) > 0n);
  const { problem, isUnread } = problemOf(top, 1);
  return { rows, problem: problem ?? (rows.length === 0 ? "Nothing changed." : null), isUnread, top: null };
}

function costsIn(report: UsageReport | null, group: string): ReadonlyMap<string | null, string> {
  return new Map((report?.data ?? []).map((row) => [row[group] as string | null, row.cost_usd]));
}
