import { readShapes, writeShapes } from "./entries.ts";
import { Journal } from "./journal.ts";
import { readShapesText, shapesText } from "./shapes.ts";

/** Before tables change: what is left in the journal goes into them as they were when it was written. */
export function foldForUpgrade(sql: SqlStorage): void {
  const shapes = readShapes(sql);
  if (shapes !== null) new Journal(sql, readShapesText(shapes)).fold();
}

/** Whether what is left in the journal was written for tables of another shape. */
export function hasOtherShapes(sql: SqlStorage): boolean {
  return readShapes(sql) !== shapesText();
}

export function noteShapes(sql: SqlStorage): void {
  if (hasOtherShapes(sql)) writeShapes(sql, shapesText());
}
