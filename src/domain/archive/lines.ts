/**
 * An archive has one JSON text to a line: its head, then each table with its rows, then the sums of all. Numbers are
 * digits, because a 64-bit number is not one of JSON's.
 */

export interface ArchiveHead {
  readonly archive_id: string;
  readonly org_id: string;
  readonly home_region: string;
  readonly made_at: string;
  /** The schema steps that the tables were made by. */
  readonly steps: readonly string[];
}

export interface ArchiveSums {
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Nano-dollars of all days. */
  readonly spent: string;
  /** The end of the audit trail. */
  readonly audit: { readonly seq: number; readonly hash: string };
}

export type ArchiveLine =
  | { readonly head: ArchiveHead }
  | { readonly table: string; readonly columns: readonly string[] }
  | { readonly end: ArchiveSums }
  | readonly StoredCell[];

/** A cell as it is read: a text that begins with its kind, bytes, or nothing. */
export type Cell = string | ArrayBuffer | null;
type StoredCell = string | { readonly b: string } | null;

/** Selects a column so that no number loses digits. */
export function cellColumn(column: string): string {
  const name = quoteName(column);
  return `CASE typeof(${name}) WHEN 'integer' THEN 'i' || ${name} WHEN 'real' THEN 'r' || printf('%!.17g', ${name})
    WHEN 'text' THEN 't' || ${name} ELSE ${name} END`;
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function rowLine(cells: readonly Cell[]): string {
  const stored = cells.map((cell) =>
    cell instanceof ArrayBuffer ? { b: Buffer.from(cell).toString("base64") } : cell,
  );
  return `${JSON.stringify(stored)}\n`;
}

/** The value to bind. An integer is bound as its digits: the column makes it a number again. */
export function toBindable(cell: StoredCell): string | number | Uint8Array | null {
  if (cell === null) return null;
  if (typeof cell === "object") return Buffer.from(cell.b, "base64");
  const text = cell.slice(1);
  return cell.startsWith("r") ? Number(text) : text;
}

/** Longer than any row that storage takes. */
const MOST_LINE_CHARACTERS = 8_388_608;

/** Puts together the lines that frames cut in two. */
export class LineReader {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #rest = "";

  push(content: Uint8Array): ArchiveLine[] {
    const lines = (this.#rest + this.#decoder.decode(content, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > MOST_LINE_CHARACTERS) throw new Error("a line of the archive never ends");
    return lines.map((line) => JSON.parse(line) as ArchiveLine);
  }
}
