import { type Dimension, DIMENSIONS } from "../../contract/dimensions.ts";
import type { RunNames } from "../../domain/run/segment/run-names.ts";

const ROW_OF = new Map(DIMENSIONS.map((row) => [row.name, row]));

export function nameIn(names: RunNames, name: Dimension): string | null {
  const row = ROW_OF.get(name);
  return row === undefined ? null : (names[row.property] ?? row.absent);
}
