import type { PageLayout } from "../paged-table/page-layout.ts";
import type { Row, TableShape } from "./table-shape.ts";

export type Shapes = ReadonlyMap<string, TableShape>;

const CURRENT = new Map<string, TableShape>();
const PAGES = new Map<string, PageLayout>();
const STORES = new Map<string, StoreRows>();

/** Writes rows of a table that has many of them in each of its own, and takes out those that are deleted. */
export type StoreRows = (sql: SqlStorage, written: readonly Row[], deleted: readonly Row[]) => void;

/** The tables of this version that the write-ahead log has rows of. */
export const SHAPES: Shapes = CURRENT;

export function addShape(
  shape: TableShape,
  { pages, store }: { readonly pages?: PageLayout | undefined; readonly store?: StoreRows | undefined },
): void {
  CURRENT.set(shape.name, shape);
  if (pages !== undefined) PAGES.set(shape.name, pages);
  if (store !== undefined) STORES.set(shape.name, store);
}

export function pageLayoutOf({ name }: TableShape): PageLayout {
  const layout = PAGES.get(name);
  if (layout === undefined) throw new Error(`${name} has no pages`);
  return layout;
}

export function storeOf({ name }: TableShape): StoreRows {
  const store = STORES.get(name);
  if (store === undefined) throw new Error(`nothing stores the rows of ${name}`);
  return store;
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
