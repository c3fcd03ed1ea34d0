import { type DimensionRow, DIMENSIONS, storedName } from "../../contract/dimensions.ts";
import { NameCache } from "../run/segment/name-cache.ts";
import { NameReader } from "../run/segment/numbered-names.ts";
import { COLUMN_NUMBERS } from "../run/segment/record.ts";
import type { ReportGrouping, ReportAsk } from "./ask.ts";
import type { NameNumbers } from "./run-sums.ts";
import { tagIn } from "./tag.ts";

/** A column of names, and what each of them means to a report. */
export interface NamedColumn {
  readonly column: number;
  readonly reader: NameReader;
}

export const [LEFT_OUT, ASKED_FOR] = [0, 1];

const ROW_OF = new Map<string, DimensionRow>(DIMENSIONS.map((row) => [row.name, row]));

function named(column: number, numberOf: (name: string | null) => number): NamedColumn {
  return { column, reader: new NameReader(new NameCache(numberOf), numberOf(null)) };
}

/** Names by their numbers. */
export function groupedColumn(
  grouping: Exclude<ReportGrouping, { kind: "time" }>,
  numbers: NameNumbers,
): NamedColumn {
  const { kind, name } = grouping;
  if (kind === "tag") return named(COLUMN_NUMBERS.tags, (text) => numbers.of(tagIn(text, name)));
  const row = ROW_OF.get(name);
  return named(row?.column ?? 0, (text) => numbers.of(text ?? row?.absent ?? null));
}

/** For each filter of a report, which names it asks for. */
export function filterColumns({ filters, without = [], tags = [] }: ReportAsk): NamedColumn[] {
  const absent = without.map((name) => [name, null] as const);
  const sought: (readonly [string, string | null])[] = [...Object.entries(filters), ...absent];
  const columns = sought.map(([name, wanted]) => {
    const row = ROW_OF.get(name);
    const stored = row === undefined ? wanted : storedName(row, wanted);
    return named(row?.column ?? 0, (text) => (text === stored ? ASKED_FOR : LEFT_OUT));
  });
  if (tags.length === 0) return columns;
  const hasAll = (text: string | null) => tags.every(({ name, value }) => tagIn(text, name) === value);
  return [...columns, named(COLUMN_NUMBERS.tags, (text) => (hasAll(text) ? ASKED_FOR : LEFT_OUT))];
}
