import type { OpenStore, RowStore } from "./row-store.ts";
import { deleteRows, type TableShape, writeRows } from "./table-shape.ts";

export type Shapes = ReadonlyMap<string, TableShape>;

const CURRENT = new Map<string, TableShape>();
const STORES = new Map<string, OpenStore>();

/** The tables of this version that the write-ahead log has rows of. */
export const SHAPES: Shapes = CURRENT;

/** Without a store, each row is a row of the table. */
export function addShape(shape: TableShape, store?: OpenStore): void {
  CURRENT.set(shape.name, shape);
  if (store !== undefined) STORES.set(shape.name, store);
}

/** The shape decides, which may be that of an earlier version. */
export function openStore(shape: TableShape): OpenStore {
  const { name, isPaged, isGrouped, log } = shape;
  if (isPaged !== true && isGrouped !== true && log === undefined) return (sql) => plainRows(sql, shape);
  const store = STORES.get(name);
  if (store === undefined) throw new Error(`nothing stores the rows of ${name}`);
  return store;
}

/** Each row is a row of its table. */
function plainRows(sql: SqlStorage, shape: TableShape): RowStore {
  return {
    change(written, deleted) {
      deleteRows(sql, shape, deleted);
      writeRows(sql, shape, written);
    },
  };
}

export function shapeIn(shapes: Shapes, name: string): TableShape {
  const shape = shapes.get(name);
  if (shape === undefined) throw new Error(`the write-ahead log has rows of ${name}, which it does not know`);
  return shape;
}

export function shapesText(): string {
  return JSON.stringify([...CURRENT.values()].sort((one, other) => (one.name < other.name ? -1 : 1)));
}

export function readShapesText(text: string): Shapes {
  return new Map((JSON.parse(text) as TableShape[]).map((shape) => [shape.name, shape]));
}
