import { type ExportedFile, sha256Of } from "../../domain/export/file.ts";
import type { FileKind } from "../../domain/export/window.ts";
import { formatUsd } from "../../domain/price/money.ts";
import type { FileExportRow, WindowRow } from "./store.ts";

export interface FileFacts {
  readonly name: string;
  readonly kind: FileKind;
  readonly rows: number;
  readonly cost_usd: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Written when all files are there: whoever finds it finds the window whole. */
export function manifestOf(sql: SqlStorage, row: FileExportRow, window: WindowRow): ExportedFile {
  const files = sql
    .exec<{ data: string }>("SELECT data FROM export_files WHERE window = ? ORDER BY file", window.seq)
    .toArray()
    .map(({ data }) => JSON.parse(data) as FileFacts);
  const manifest = {
    version: 1,
    export: row.name,
    format: row.format,
    focus_version: row.focus_version,
    from: new Date(window.from_at).toISOString(),
    to: new Date(window.to_at).toISOString(),
    rows: window.rows,
    cost_usd: formatUsd(BigInt(window.cost)),
    files,
  };
  const bytes = Uint8Array.from(new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`));
  return { bytes, media: "application/json", sha256: sha256Of(bytes), rows: 0, nanos: 0n };
}
