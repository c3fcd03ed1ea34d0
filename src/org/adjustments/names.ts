import { type Dimension, DIMENSIONS } from "../../contract/dimensions.ts";
import { type RunNames, runNames } from "../../domain/run-block/run-names.ts";
import { findRun } from "../runs/store.ts";
import type { StoredAdjustment } from "./store.ts";

const ROW_OF = new Map(DIMENSIONS.map((row) => [row.name, row]));

/** What the adjusted run named. Of an adjustment that an earlier version made: while its run is stored. */
export function adjustedNames(sql: SqlStorage, { names, runId, customer }: StoredAdjustment): RunNames {
  if (names !== undefined) return names;
  const run = findRun(sql, runId);
  if (run !== undefined) return runNames(run);
  return customer === null ? {} : { customerId: customer };
}

export function nameIn(names: RunNames, name: Dimension): string | null {
  const row = ROW_OF.get(name);
  return row === undefined ? null : (names[row.property] ?? row.absent);
}
