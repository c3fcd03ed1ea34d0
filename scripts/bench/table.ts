import type { BenchRow } from "./bench-row.ts";
import { isStable } from "./statistics.ts";

const HEAD = ["", "per second, or rows", "CPU us", "spread", "ratio", "of", "target", ""];

/** The rows as lines in columns. */
export function tableLines(rows: readonly BenchRow[]): string[] {
  const lines = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function cellsOf(row: BenchRow): string[] {
  const { name, perSecond, cpuMicros, spread = null, ratio, of, target, note, failure } = row;
  return [
    name,
    text(perSecond),
    text(cpuMicros),
    spread === null ? "" : spreadText(spread),
    ratio === null ? "" : ratio.toFixed(2),
    of ?? "",
    target === null ? "" : target.toFixed(2),
    [failure === undefined ? [] : [`FAILED: ${failure}`], note === "" ? [] : [note]].flat().join("; "),
  ];
}

function text(figure: number | null): string {
  return figure === null ? "" : String(figure);
}

/** "±3 %", with a mark if the rounds differ too much to compare the figure with others. */
export function spreadText(spread: number): string {
  return `±${(spread * 100).toFixed(spread < 0.1 ? 1 : 0)} %${isStable(spread) ? "" : " unstable"}`;
}
