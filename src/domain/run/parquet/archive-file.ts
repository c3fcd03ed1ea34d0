import { joinedBytes } from "../../bytes/joined-bytes.ts";
import { RunColumns } from "../segment/columns.ts";
import type { RunRecord } from "../segment/record.ts";
import { ParquetFile } from "./file.ts";
import { STORED_RUN_COLUMNS } from "./stored-runs.ts";

const ANY_SIZE = { rows: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY };

/**
 * A file of the archive. Readers of Parquet find the runs as rows, for analysis. Then come the segments as the object stored them,
 * where the object reads them again, exactly and without decoding rows.
 */
export class ArchiveFile {
  readonly #file = new ParquetFile<RunRecord>(STORED_RUN_COLUMNS, ANY_SIZE);
  readonly #pieces: Uint8Array[] = [];
  readonly #segments: Uint8Array[] = [];
  #cost = 0n;
  #inputTokens = 0;
  #outputTokens = 0;

  add(segment: Uint8Array): void {
    const runs = [...new RunColumns(segment)];
    for (const run of runs) {
      this.#cost += run.cost;
      this.#inputTokens += run.inputTokens;
      this.#outputTokens += run.outputTokens;
    }
    this.#pieces.push(this.#file.add(runs));
    this.#segments.push(segment);
  }

  get sums() {
    return { cost: this.#cost, inputTokens: this.#inputTokens, outputTokens: this.#outputTokens };
  }

  /** The file, in steps that each take a few milliseconds. */
  *parts(
    firstSeq: number,
  ): Generator<void, { readonly bytes: Uint8Array<ArrayBuffer>; readonly segmentsAt: number }> {
    yield* this.#file.columnsOfGroup();
    const [first = new Uint8Array(), ...others] = this.#segments;
    const segmentsAt = this.#file.addUnread(first);
    for (const segment of others) this.#file.addUnread(segment);
    const lengths = this.#segments.map(({ length }) => length).join(" ");
    const last = this.#file.end({
      "sluice.first_seq": String(firstSeq),
      "sluice.blocks_at": String(segmentsAt),
      "sluice.block_lengths": lengths,
    });
    return { bytes: joinedBytes([...this.#pieces, last]), segmentsAt };
  }
}
