import { type Dimension, DIMENSIONS } from "../../../contract/dimensions.ts";
import type { RunNames } from "./run-names.ts";

/** Returns what a run named, by the fields of the API. */
export function namesByField(names: RunNames): Readonly<Record<Dimension, string | null>> {
  const fields = DIMENSIONS.map(({ name, property }) => [name, names[property] ?? null]);
  return Object.fromEntries(fields) as Record<Dimension, string | null>;
}
