import type { LogPosition } from "./logs.ts";
import { isOfSpans, loadExports, openWindow } from "./store.ts";

/**
 * The first entries that an export has yet to write: retention deletes none of them, nor any after. Spans wait for a
 * day at most, which is less than any run is kept. Null if there is no export.
 */
export function findFirstUnexported(sql: SqlStorage): LogPosition | null {
  const files = loadExports(sql).filter((row) => !isOfSpans(row));
  const places = files.map((row): LogPosition => {
    const open = openWindow(sql, row.name);
    return {
      run: Math.min(open?.first_run ?? row.run_from, row.run_from),
      adjustment: Math.min(open?.first_adjustment ?? row.adjustment_from, row.adjustment_from),
      replacement: Math.min(open?.first_replacement ?? row.replacement_from, row.replacement_from),
    };
  });
  if (places.length === 0) return null;
  return {
    run: Math.min(...places.map(({ run }) => run)),
    adjustment: Math.min(...places.map(({ adjustment }) => adjustment)),
    replacement: Math.min(...places.map(({ replacement }) => replacement)),
  };
}
