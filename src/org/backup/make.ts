import { HOUR_MS } from "../../contract/durations.ts";
import { FrameWriter, MOST_FRAME_BYTES } from "../../domain/archive/frames.ts";
import {
  type ArchiveHead,
  type ArchiveLine,
  type ArchiveSums,
  type Cell,
  rowLine,
} from "../../domain/archive/lines.ts";
import { newId } from "../../domain/ulid.ts";
import { refuse } from "../../contract/refusal.ts";
import { command, done, query, type Tx } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { readEnd } from "../kernel/audit/ends.ts";
import { rowsOf, spentOfAllDays, tablesOf } from "./tables.ts";

/** How long an archive waits for its reader. */
const KEPT_MS = HOUR_MS;
const FRAME_BYTES = MOST_FRAME_BYTES / 2;

/** Collects lines, and stores them as signed frames. */
class FrameStore {
  readonly #tx: Tx;
  readonly #archive: string;
  readonly #frames: FrameWriter;
  #parts: Buffer[] = [];
  #bytes = 0;
  #count = 0;

  constructor(tx: Tx, archive: string) {
    this.#tx = tx;
    this.#archive = archive;
    this.#frames = new FrameWriter(tx.settings.SVC_KEY_PEPPER);
  }

  add(text: string): void {
    const bytes = Buffer.from(text);
    this.#parts.push(bytes);
    this.#bytes += bytes.byteLength;
    if (this.#bytes >= FRAME_BYTES) this.#store(false);
  }

  line(line: ArchiveLine): void {
    this.add(`${JSON.stringify(line)}\n`);
  }

  /** Returns the number of frames. */
  end(): number {
    this.#store(true);
    return this.#count;
  }

  #store(isLast: boolean): void {
    const all = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    // One row may be longer than a frame.
    for (let at = 0; at === 0 || at < all.byteLength; at += MOST_FRAME_BYTES) {
      const content = all.subarray(at, at + MOST_FRAME_BYTES);
      const frame = this.#frames.write(content, isLast && at + MOST_FRAME_BYTES >= all.byteLength);
      this.#tx.sql.exec(
        "INSERT INTO backup_frames (n, archive, frame) VALUES (?, ?, ?)",
        this.#count,
        this.#archive,
        frame,
      );
      this.#count += 1;
    }
  }
}

/**
 * Copies the whole org into an archive, in one transaction, so that it is of one moment. It is stored beside the org
 * until it was read.
 */
export const makeBackup = command({
  action: "org.backed_up",
  refuses: [],
  run(tx, _input: object) {
    tx.sql.exec("DELETE FROM backup_frames");
    const id = newId("bak", tx.now);
    const store = new FrameStore(tx, id);
    store.line({ head: headOf(tx, id) });
    const rows: Record<string, number> = {};
    for (const table of tablesOf(tx.sql)) {
      store.line({ table: table.name, columns: table.columns });
      let count = 0;
      for (const row of rowsOf(tx.sql, table)) {
        store.add(rowLine(row as Cell[]));
        count += 1;
      }
      rows[table.name] = count;
    }
    const { seq, hash } = readEnd(tx, "head") ?? { seq: 0, hash: "" };
    const sums: ArchiveSums = { rows, spent: spentOfAllDays(tx.sql), audit: { seq, hash } };
    store.line({ end: sums });
    const frames = store.end();
    tx.schedule(DUE.backupExpiry, "", tx.now + KEPT_MS);
    return done(200, { archive_id: id, frames }, { target: tx.orgId, detail: { archive_id: id, frames } });
  },
});

function headOf(tx: Tx, archive_id: string): ArchiveHead {
  const steps = tx.sql.exec<{ name: string }>("SELECT name FROM schema_steps").toArray();
  return {
    archive_id,
    org_id: tx.orgId,
    home_region: tx.profile().homeRegion,
    made_at: new Date(tx.now).toISOString(),
    steps: steps.map(({ name }) => name),
  };
}

/** One frame of an archive, as base64. A newer archive may have taken its place. */
export const backupFrame = query({
  refuses: ["conflict"],
  run({ sql }, { archiveId, n }: { archiveId: string; n: number }) {
    const [row] = sql
      .exec<{ frame: ArrayBuffer }>(
        "SELECT frame FROM backup_frames WHERE n = ? AND archive = ?",
        n,
        archiveId,
      )
      .toArray();
    if (row === undefined)
      return refuse("conflict", {}, { message: "A newer backup has replaced this one." });
    return { frame: Buffer.from(row.frame).toString("base64") };
  },
});

/** After it was read. */
export const dropBackup = command({
  action: null,
  refuses: [],
  run(tx, { archiveId }: { archiveId: string }) {
    tx.sql.exec("DELETE FROM backup_frames WHERE archive = ?", archiveId);
    return done(204, null);
  },
});

export const expireBackup: DueHandler = {
  kind: "change",
  run: (tx) => void tx.sql.exec("DELETE FROM backup_frames"),
};
