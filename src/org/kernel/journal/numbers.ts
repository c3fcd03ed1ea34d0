import type { Row, TableShape, Value } from "./shape.ts";

/** The place of the number in rows of a table that numbers them. */
function placeOf({ columns, key: [number = ""] }: TableShape): number {
  return columns.indexOf(number);
}

export function numberOf(shape: TableShape, row: Row): Value {
  return row[placeOf(shape)] ?? null;
}

export function isUnnumbered(shape: TableShape, row: Row): boolean {
  return shape.isNumbered === true && numberOf(shape, row) === null;
}

export function withNumber(shape: TableShape, row: Row, number: Value): Row {
  return row.with(placeOf(shape), number);
}

export function highestNumber(sql: SqlStorage, { name, key }: TableShape): number {
  return sql.exec<{ highest: number }>(`SELECT IFNULL(MAX(${key[0]}), 0) AS highest FROM ${name}`).one()
    .highest;
}
