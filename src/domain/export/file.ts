import { joinedBytes } from "../bytes/joined-bytes.ts";
import { createHash } from "node:crypto";
import { NANO_SCALE, parseDecimal } from "../focus/decimal.ts";
import type { Content, FileWriter } from "./writers.ts";

/** A file ends at any of these, so memory does not grow with the window. */
const MOST_BYTES = 8_388_608;
const MOST_RUNS = 50_000;

export interface ExportedFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly media: string;
  readonly sha256: string;
  readonly rows: number;
  readonly nanos: bigint;
}

/** One file of a window as it is made. The same content makes the same file. */
export class ExportFile {
  readonly #writer: FileWriter;
  readonly #parts: Uint8Array[] = [];
  #bytes = 0;
  #runs = 0;
  #nanos = 0n;

  constructor(writer: FileWriter) {
    this.#writer = writer;
    this.#take(writer.begin());
  }

  get isFull(): boolean {
    return this.#bytes >= MOST_BYTES || this.#runs >= MOST_RUNS;
  }

  add(content: Content): void {
    this.#runs += content.runs.length;
    for (const run of content.runs) this.#nanos += parseDecimal(run.cost_usd, NANO_SCALE);
    for (const { nanos } of content.corrections) this.#nanos += nanos;
    this.#take(this.#writer.add(content));
  }

  end(): ExportedFile {
    this.#take(this.#writer.end());
    const bytes = joinedBytes(this.#parts);
    const { media, rows } = this.#writer;
    return { bytes, media, rows, nanos: this.#nanos, sha256: sha256Of(bytes) };
  }

  #take(part: Uint8Array): void {
    if (part.length > 0) this.#parts.push(part);
    this.#bytes += part.length;
  }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
