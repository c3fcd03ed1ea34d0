import type { Row, TableShape, Value } from "./table-shape.ts";

const places = new WeakMap<TableShape, number>();

/** The place of the number in rows of a table that numbers them. */
function placeOf(shape: TableShape): number {
  const known = places.get(shape);
  if (known !== undefined) return known;
  const { columns, key } = shape;
  const place = columns.indexOf(key[0] ?? "");
  places.set(shape, place);
  return place;
}

export function numberOf(shape: TableShape, row: Row): Value {
  return row[placeOf(shape)] ?? null;
}

export function isUnnumbered(shape: TableShape, row: Row): boolean {
  return shape.isNumbered === true && numberOf(shape, row) === null;
}

export function withNumber(shape: TableShape, row: Row, number: Value): Row {
  const numbered = row.slice();
  numbered[placeOf(shape)] = number;
  return numbered;
}
