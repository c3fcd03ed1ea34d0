import type { ReportFigures } from "../../contract/resources/usage/usage-report.ts";
import { TOKEN_CLASS_NAMES } from "../../contract/token-classes.ts";
import { asCount } from "../price/count.ts";
import { csvField } from "../text/csv.ts";
import { formatUsd } from "../price/money.ts";
import { COUNT_AT, COUNTED, type GroupNames, type GroupSums, sumSavings } from "./sums.ts";

/** One line of a report, or its totals. */
export interface ReportLine {
  readonly names: GroupNames;
  readonly nanos: bigint;
  readonly runs: number;
  readonly tokens: number;
  /** As in `COUNTED`. */
  readonly counts: readonly number[];
  /** The amount that its customer pays. Null if nobody said. Absent if the report does not show it. */
  readonly worth?: Worth | null;
}

interface Worth {
  readonly revenue: bigint;
  /** Less what the customer cost. */
  readonly margin: bigint;
}

const [RUNS, INPUT, OUTPUT] = [0, 1, 2];

/** The groups of a report. Where the daily sums know of runs that are gone, cost, runs and tokens are theirs. */
export function linesOf(sums: GroupSums, daily: GroupSums | null): ReportLine[] {
  const none = Array<number>(COUNTED.length).fill(0);
  if (daily === null) {
    return Array.from(sums.groups, ({ names, nanos, counts }) => ({
      names,
      nanos,
      counts,
      runs: counts[RUNS] ?? 0,
      tokens: (counts[INPUT] ?? 0) + (counts[OUTPUT] ?? 0),
    }));
  }
  const kept = new Map(Array.from(sums.groups, (group) => [JSON.stringify(group.names), group.counts]));
  return Array.from(daily.groups, ({ names, nanos, counts: [runs = 0, tokens = 0] }) => ({
    names,
    nanos,
    runs,
    tokens,
    counts: kept.get(JSON.stringify(names)) ?? none,
  }));
}

/** With `isWorth`, the totals say what the customers pay of whom that is known. */
export function totalOf(lines: readonly ReportLine[], isWorth = false): ReportLine {
  const counts = Array<number>(COUNTED.length).fill(0);
  let [nanos, runs, tokens] = [0n, 0, 0];
  for (const line of lines) {
    nanos += line.nanos;
    runs += line.runs;
    tokens += line.tokens;
    for (const [at, count] of line.counts.entries()) counts[at] = (counts[at] ?? 0) + count;
  }
  return { names: [], nanos, runs, tokens, counts, ...(isWorth ? { worth: totalWorth(lines) } : {}) };
}

function totalWorth(lines: readonly ReportLine[]): Worth | null {
  const known = lines.flatMap(({ worth }) => worth ?? []);
  if (known.length === 0) return null;
  return {
    revenue: known.reduce((sum, { revenue }) => sum + revenue, 0n),
    margin: known.reduce((sum, { margin }) => sum + margin, 0n),
  };
}

/** Highest first, or in the order of the first group; then by the names. Groups without a name come last. */
export function sortLines(lines: readonly ReportLine[], by: string): ReportLine[] {
  return [...lines].sort((one, other) => compareBy(by, one, other) || compareNames(one.names, other.names));
}

function compareBy(by: string, one: ReportLine, other: ReportLine): number {
  if (by === "cost_usd") return one.nanos === other.nanos ? 0 : one.nanos > other.nanos ? -1 : 1;
  if (by === "runs" || by === "tokens") return other[by] - one[by];
  return 0;
}

function compareNames(one: GroupNames, other: GroupNames): number {
  for (const [at, name] of one.entries()) {
    const theirs = other[at] ?? null;
    if (name === theirs) continue;
    if (name === null || theirs === null) return name === null ? 1 : -1;
    return name < theirs ? -1 : 1;
  }
  return 0;
}

const TOKEN_FIELDS = TOKEN_CLASS_NAMES.map((name) => [`${name}_tokens`, COUNT_AT.get(name) ?? -1] as const);

/** A report has thousands of these, so they are set one by one: building an object of each line's parts takes several times as long. */
export function figuresOf({ nanos, runs, tokens, counts, worth }: ReportLine): ReportFigures {
  const figures: Record<string, string | number | null> = {
    cost_usd: formatUsd(nanos),
    runs,
    tokens: asCount(tokens),
    input_tokens: asCount(counts[INPUT] ?? 0),
    output_tokens: asCount(counts[OUTPUT] ?? 0),
  };
  for (const [field, at] of TOKEN_FIELDS) figures[field] = asCount(counts[at] ?? 0);
  figures["saved_usd"] = formatUsd(sumSavings(counts));
  return (worth === undefined ? figures : { ...figures, ...worthOf(worth) }) as ReportFigures;
}

function worthOf(worth: Worth | null) {
  return {
    revenue_usd: worth === null ? null : formatUsd(worth.revenue),
    margin_usd: worth === null ? null : formatUsd(worth.margin),
  };
}

/** A header, then one line for each group. Amounts are plain numbers, which no spreadsheet takes for a formula. */
export function csvOf(groupBy: readonly string[], lines: readonly ReportLine[], isWorth = false): string {
  const fields = Object.keys(figuresOf(totalOf([], isWorth)));
  const rows = lines.map((line) =>
    [...line.names.map(csvField), ...Object.values(figuresOf(line))].join(","),
  );
  return [[...groupBy, ...fields].join(","), ...rows, ""].join("\r\n");
}
