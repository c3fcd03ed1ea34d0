import { COLUMN_NUMBERS, type RunRecord } from "./record.ts";

/** A value that goes through JSON unchanged. */
type Value = string | number | null;

/** In the order of their numbers: a column that is added comes last, so that older values lack it at their end. */
export const COLUMNS = (Object.keys(COLUMN_NUMBERS) as (keyof RunRecord)[]).sort(
  (one, other) => COLUMN_NUMBERS[one] - COLUMN_NUMBERS[other],
);

export function runValues(run: RunRecord): Value[] {
  return COLUMNS.map((column) => {
    const value = run[column];
    if (typeof value === "bigint") return String(value);
    return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
  });
}

export function runOfValues(values: readonly Value[]): RunRecord {
  const run = Object.fromEntries(COLUMNS.map((column, at) => [column, values[at] ?? null]));
  const { cost, extra } = run;
  return {
    ...run,
    cost: BigInt(cost ?? 0),
    extra: typeof extra === "string" ? (JSON.parse(extra) as object) : null,
  } as unknown as RunRecord;
}
