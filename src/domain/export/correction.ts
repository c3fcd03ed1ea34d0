import { DIMENSIONS } from "../../contract/dimensions.ts";
import { csvField } from "../text/csv.ts";
import { formatUsd } from "../price/money.ts";
import type { RunNames } from "../run/segment/run-names.ts";

/**
 * A change of the cost of a run that may be exported already: an adjustment, or an estimate that is taken back because
 * its run was reported.
 */
export interface Correction {
  readonly kind: "adjustment" | "replacement";
  /** The id of the adjustment, or of the estimate. */
  readonly id: string;
  /** The run whose cost changes. */
  readonly runId: string;
  /** When that run started; null if it is no longer stored. */
  readonly startedAt: number | null;
  readonly recordedAt: number;
  readonly nanos: bigint;
  readonly reason: string | null;
  /** The run that was reported in its place. */
  readonly byRunId: string | null;
  /** The names that the run gave. */
  readonly names: RunNames;
}

interface Column<Kind, Value> {
  readonly name: string;
  readonly kind: Kind;
  readonly of: (one: Correction) => Value;
}
type TextColumn = Column<"text", string | null>;
type CorrectionColumn = TextColumn | Column<"moment", number | null> | Column<"usd", bigint>;

export const CORRECTION_COLUMNS: readonly CorrectionColumn[] = [
  { name: "kind", kind: "text", of: (one) => one.kind },
  { name: "id", kind: "text", of: (one) => one.id },
  { name: "run_id", kind: "text", of: (one) => one.runId },
  { name: "started_at", kind: "moment", of: (one) => one.startedAt },
  { name: "recorded_at", kind: "moment", of: (one) => one.recordedAt },
  { name: "reason", kind: "text", of: (one) => one.reason },
  { name: "replaced_by_run_id", kind: "text", of: (one) => one.byRunId },
  ...DIMENSIONS.filter(({ name }) => name !== "outcome").map(({ name, property }): TextColumn => ({
    name,
    kind: "text",
    of: ({ names }) => names[property] ?? null,
  })),
  { name: "tags", kind: "text", of: ({ names }) => names.tags ?? null },
  { name: "cost_usd", kind: "usd", of: (one) => one.nanos },
];

function textIn(column: CorrectionColumn, one: Correction): string | null {
  if (column.kind === "usd") return formatUsd(column.of(one));
  if (column.kind === "text") return column.of(one);
  const ms = column.of(one);
  return ms === null ? null : new Date(ms).toISOString();
}

export const CORRECTIONS_HEADER = `${CORRECTION_COLUMNS.map(({ name }) => name).join(",")}\r\n`;

/** Amounts are plain numbers, which no spreadsheet takes for a formula. */
export function correctionLine(one: Correction): string {
  const cells = CORRECTION_COLUMNS.map((column) => {
    const text = textIn(column, one);
    return column.kind === "usd" ? text : csvField(text);
  });
  return `${cells.join(",")}\r\n`;
}

export function correctionJson(one: Correction): string {
  const fields = CORRECTION_COLUMNS.map((column) => [column.name, textIn(column, one)]);
  const tags = one.names.tags === undefined ? {} : (JSON.parse(one.names.tags) as object);
  return `${JSON.stringify({ ...(Object.fromEntries(fields) as object), tags })}\n`;
}
