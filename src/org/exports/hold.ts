import { type LogPosition, positionIn } from "./logs.ts";
import { isOfSpans, loadExports, openWindow } from "./store.ts";

/**
 * The first entries that an export has yet to write: retention deletes none of them, nor any after. Spans wait for a
 * day at most, which is less than any run is kept. Null if there is no export.
 */
export function findFirstUnexported(sql: SqlStorage): LogPosition | null {
  const files = loadExports(sql).filter((row) => !isOfSpans(row));
  if (files.length === 0) return null;
  const windows = files.flatMap(({ name }) => openWindow(sql, name) ?? []);
  const leastOf = (log: keyof LogPosition) =>
    Math.min(...files.map((row) => positionIn(row)[log]), ...windows.map((window) => window[`first_${log}`]));
  return { run: leastOf("run"), adjustment: leastOf("adjustment"), replacement: leastOf("replacement") };
}
