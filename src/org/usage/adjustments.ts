import type { Dimension } from "../../contract/dimensions.ts";
import { type ReportGrouping, type ReportAsk, StretchFinder } from "../../domain/usage-report/ask.ts";
import { tagIn } from "../../domain/usage-report/tag.ts";
import type { GroupSums } from "../../domain/usage-report/sums.ts";
import { nameIn } from "../adjustments/names.ts";
import { type AdjustmentRow, fromAdjustmentRow } from "../adjustments/store.ts";
import type { RunNames } from "../../domain/run/segment/run-names.ts";

const STEP_ADJUSTMENTS = 2_000;

/** The seq of the oldest one that is stored; 1 if there is none. */
export function firstAdjustment(sql: SqlStorage): number {
  return sql.exec<{ seq: number }>("SELECT IFNULL(MIN(seq), 1) AS seq FROM run_adjustments").one().seq;
}

export function lastAdjustment(sql: SqlStorage): number {
  return sql.exec<{ seq: number }>("SELECT IFNULL(MAX(seq), 0) AS seq FROM run_adjustments").one().seq;
}

/** Adds adjustments to the groups of their runs, in the time when they were made. Returns the last that was looked at. */
export function addAdjustments(
  sql: SqlStorage,
  ask: ReportAsk,
  cursor: { readonly adjustment: number; readonly lastAdjustment: number },
  sums: GroupSums,
): number {
  const rows = sql
    .exec<AdjustmentRow>(
      "SELECT * FROM run_adjustments WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
      cursor.adjustment,
      cursor.lastAdjustment,
      STEP_ADJUSTMENTS,
    )
    .toArray();
  for (const row of rows) {
    if (row.at < ask.fromMs || row.at >= ask.toMs) continue;
    const made = fromAdjustmentRow(row);
    const { names } = made;
    if (!isWanted(ask, names)) continue;
    sums.add(
      ask.groupBy.map((grouping) => groupOf(grouping, names, made.at)),
      made.amount,
      [],
    );
  }
  return rows.length < STEP_ADJUSTMENTS ? cursor.lastAdjustment : (rows.at(-1)?.seq ?? cursor.lastAdjustment);
}

function isWanted({ filters, without = [], tags = [] }: ReportAsk, names: RunNames): boolean {
  return (
    Object.entries(filters).every(([name, wanted]) => nameIn(names, name as Dimension) === wanted) &&
    without.every((name) => nameIn(names, name) === null) &&
    tags.every(({ name, value }) => tagIn(names.tags ?? null, name) === value)
  );
}

function groupOf(grouping: ReportGrouping, names: RunNames, atMs: number): string | null {
  if (grouping.kind === "name") return nameIn(names, grouping.name);
  if (grouping.kind === "tag") return tagIn(names.tags ?? null, grouping.name);
  const { stretches } = grouping;
  return stretches.labels[new StretchFinder(stretches).at(atMs)] ?? null;
}
