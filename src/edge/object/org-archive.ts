import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import { FrameWriter, framesOf } from "../../domain/archive/frames.ts";
import type { OrgDoor } from "./org-door.ts";

/** The archive of an org on its way out, one part at a time. */
type Parts = AsyncGenerator<Buffer, Refusal | null>;

interface OpenedArchive {
  readonly archiveId: string;
  /** Its first line. */
  readonly head: string;
  /** The line that begins archived runs. */
  readonly runs: string;
}

interface MadeTables {
  readonly parts: number;
  readonly end: string;
}

export class OrgArchive {
  readonly #org: OrgDoor;
  readonly #opened: OpenedArchive;
  readonly #writer: FrameWriter;
  /** Archived runs up to here are out. */
  #after = 0;

  constructor(org: OrgDoor, opened: OpenedArchive, pepper: string) {
    this.#org = org;
    this.#opened = opened;
    this.#writer = new FrameWriter(pepper);
  }

  *head(): Generator<Buffer> {
    yield* framesOf(this.#writer, Buffer.from(this.#opened.head), false);
  }

  /** Runs that are archived by now. They never change, so this may come before the tables. */
  async *runsBefore(): Parts {
    yield* framesOf(this.#writer, Buffer.from(this.#opened.runs), false);
    return yield* this.#runs();
  }

  /** The tables, and the archived runs that are not out yet. */
  async *rest({ parts, end }: MadeTables, namesFiles: boolean): Parts {
    const { archiveId } = this.#opened;
    for (let n = 0; n < parts; n += 1) {
      const read = await this.#org.query("backupPart", { archiveId, n });
      if (isRefusal(read)) return read;
      yield* framesOf(this.#writer, Buffer.from(read.body.part, "base64"), false);
    }
    if (!namesFiles) {
      const refusal = yield* this.#runs();
      if (refusal !== null) return refusal;
    }
    yield* framesOf(this.#writer, Buffer.from(end), true);
    return null;
  }

  async *#runs(): Parts {
    const { archiveId } = this.#opened;
    for (;;) {
      const read = await this.#org.query("backupRuns", { archiveId, after: this.#after });
      if (isRefusal(read)) return read;
      const { lines, last } = read.body;
      if (last === null) return null;
      yield* framesOf(this.#writer, Buffer.from(lines), false);
      this.#after = last;
    }
  }
}
