import { ParquetFile } from "../run/parquet/file.ts";
import { type Correction, CORRECTION_COLUMNS } from "./correction.ts";

/** Loaded where it is needed: most isolates write no Parquet. */
export { shownRunsFile } from "../run/parquet/shown-runs.ts";

export function correctionsFile(): ParquetFile<Correction> {
  return new ParquetFile(CORRECTION_COLUMNS);
}
