import type { PageKind } from "./page-kind.ts";
import type { TableShape } from "./shape.ts";

export type Shapes = ReadonlyMap<string, TableShape>;

const CURRENT = new Map<string, TableShape>();
const KINDS = new Map<string, PageKind>();

/** The tables of this version that the journal has rows of. */
export const SHAPES: Shapes = CURRENT;

export function addShape(shape: TableShape, pages?: PageKind): void {
  CURRENT.set(shape.name, shape);
  if (pages !== undefined) KINDS.set(shape.name, pages);
}

export function pageKindOf({ name }: TableShape): PageKind {
  const kind = KINDS.get(name);
  if (kind === undefined) throw new Error(`${name} has no pages`);
  return kind;
}

export function shapeIn(shapes: Shapes, name: string): TableShape {
  const shape = shapes.get(name);
  if (shape === undefined) throw new Error(`the journal has rows of ${name}, which it does not know`);
  return shape;
}

export function shapesText(): string {
  return JSON.stringify([...CURRENT.values()].sort((one, other) => (one.name < other.name ? -1 : 1)));
}

export function readShapesText(text: string): Shapes {
  return new Map((JSON.parse(text) as TableShape[]).map((shape) => [shape.name, shape]));
}
