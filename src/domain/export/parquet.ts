import { ParquetFile } from "../runs-parquet/file.ts";
import { type Correction, CORRECTION_COLUMNS } from "./correction.ts";

/** Loaded where it is needed: most isolates write no Parquet. */
export { shownRunsFile } from "../runs-parquet/shown-runs.ts";

export function correctionsFile(): ParquetFile<Correction> {
  return new ParquetFile(CORRECTION_COLUMNS);
}
