import type { ExportFormat, FocusVersion } from "../../contract/lists.ts";
import type { RunResource } from "../../contract/resources/runs/runs.ts";
import type { FocusAccount } from "../focus/columns.ts";
import { isOfEarlierMonth } from "../focus/correction.ts";
import { lateChargeOf } from "../focus/late.ts";
import { FocusWriter } from "../focus/writer.ts";
import { PARQUET_MEDIA, RUN_EXPORTS } from "../run/export-formats.ts";
import { type Correction, correctionJson, correctionLine, CORRECTIONS_HEADER } from "./correction.ts";
import type { FileKind } from "./window.ts";

/** Some of what a window has. */
export interface Content {
  readonly runs: readonly RunResource[];
  readonly corrections: readonly Correction[];
}

/** Makes the bytes of one file. */
export interface FileWriter {
  readonly media: string;
  /** How many rows it has written. */
  readonly rows: number;
  begin(): Uint8Array;
  add(content: Content): Uint8Array;
  end(): Uint8Array;
}

const encoder = new TextEncoder();
const NOTHING = new Uint8Array(0);

class LineWriter implements FileWriter {
  readonly media: string;
  readonly #header: string;
  readonly #lines: (content: Content) => readonly string[];
  #rows = 0;

  constructor(media: string, header: string, lines: (content: Content) => readonly string[]) {
    this.media = media;
    this.#header = header;
    this.#lines = lines;
  }

  get rows(): number {
    return this.#rows;
  }

  begin(): Uint8Array {
    return encoder.encode(this.#header);
  }

  add(content: Content): Uint8Array {
    const lines = this.#lines(content);
    this.#rows += lines.length;
    return encoder.encode(lines.join(""));
  }

  end(): Uint8Array {
    return NOTHING;
  }
}

class ChargeWriter implements FileWriter {
  readonly media = RUN_EXPORTS.csv.media;
  readonly #focus: FocusWriter;

  constructor(focus: FocusWriter) {
    this.#focus = focus;
  }

  get rows(): number {
    return this.#focus.rows;
  }

  begin(): Uint8Array {
    return encoder.encode(this.#focus.header);
  }

  add({ runs, corrections }: Content): Uint8Array {
    const late = corrections.map(({ startedAt, recordedAt, ...one }) =>
      lateChargeOf({ ...one, atMs: recordedAt, isCorrection: isOfEarlierMonth(startedAt, recordedAt) }),
    );
    return encoder.encode(this.#focus.add(runs) + this.#focus.addLate(late));
  }

  end(): Uint8Array {
    return encoder.encode(this.#focus.end());
  }
}

async function parquetWriter(kind: FileKind): Promise<FileWriter> {
  const { shownRunsFile, correctionsFile } = await import("./parquet.ts");
  const [runs, corrections] = [shownRunsFile(), correctionsFile()];
  let rows = 0;
  return {
    media: PARQUET_MEDIA,
    get rows() {
      return rows;
    },
    begin: () => NOTHING,
    add(content) {
      rows += kind === "runs" ? content.runs.length : content.corrections.length;
      return kind === "runs" ? runs.add(content.runs) : corrections.add(content.corrections);
    },
    end: () => (kind === "runs" ? runs.end() : corrections.end()),
  };
}

function lineWriter(format: "ndjson" | "csv", kind: FileKind): FileWriter {
  const { media, header, line } = RUN_EXPORTS[format];
  if (kind === "runs") return new LineWriter(media, header, ({ runs }) => runs.map(line));
  const [ownHeader, ownLine] = format === "csv" ? [CORRECTIONS_HEADER, correctionLine] : ["", correctionJson];
  return new LineWriter(media, ownHeader, ({ corrections }) => corrections.map(ownLine));
}

export async function fileWriter(
  { format, focusVersion }: { readonly format: ExportFormat; readonly focusVersion: FocusVersion | null },
  kind: FileKind,
  account: FocusAccount,
): Promise<FileWriter> {
  if (format === "focus") return new ChargeWriter(new FocusWriter(focusVersion ?? "1.2", account));
  return format === "parquet" ? parquetWriter(kind) : lineWriter(format, kind);
}

/** How the files of a format end. */
export const EXTENSIONS: Readonly<Record<ExportFormat, string>> = {
  ndjson: "ndjson",
  csv: "csv",
  parquet: "parquet",
  focus: "csv",
};
