import { readShapes, writeShapes } from "./wal/entries.ts";
import { WriteAheadLog } from "./wal/write-ahead-log.ts";
import { readShapesText, shapesText } from "./wal/table-shapes.ts";

/** Before tables change: what is left in the write-ahead log goes into them as they were when it was written. */
export function checkpointForUpgrade(sql: SqlStorage): void {
  const shapes = readShapes(sql);
  if (shapes !== null) new WriteAheadLog(sql, readShapesText(shapes)).checkpoint();
}

/** Returns whether what is left in the write-ahead log was written for tables of another shape. */
export function hasOtherShapes(sql: SqlStorage): boolean {
  return readShapes(sql) !== shapesText();
}

export function noteShapes(sql: SqlStorage): void {
  if (hasOtherShapes(sql)) writeShapes(sql, shapesText());
}
