import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

/** What a real DuckDB reads from a Parquet file. In the query, `file` is the file. */
export async function askDuckDb(
  bytes: Uint8Array,
  query: string,
): Promise<Record<string, string | boolean | null>[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-parquet-"));
  const database = await DuckDBInstance.create();
  const connection = await database.connect();
  try {
    const path = join(folder, "runs.parquet");
    writeFileSync(path, bytes);
    await connection.run(`CREATE VIEW file AS SELECT * FROM read_parquet('${path}')`);
    const answer = await connection.runAndReadAll(query);
    // No column is a list or a map, and numbers are texts.
    return answer.getRowObjectsJson() as Record<string, string | boolean | null>[];
  } finally {
    connection.closeSync();
    database.closeSync();
    rmSync(folder, { recursive: true });
  }
}
