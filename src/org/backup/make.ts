import { HOUR_MS } from "../../contract/durations.ts";
import { MOST_FRAME_BYTES } from "../../domain/archive/frames.ts";
import {
  type ArchiveHead,
  type ArchiveLine,
  type ArchiveSums,
  type Cell,
  rowLine,
} from "../../domain/archive/lines.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { command, done, type Tx } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { readEnd } from "../kernel/audit/ends.ts";
import { CARRIED_COLUMNS, countArchived } from "../../storage/segments/archive/export.ts";
import { runSegments } from "../runs/segments/segments.ts";
import { dropOpened, isOpenedAs, noteOpened, refuseReplaced, storePart } from "./parts.ts";
import { OF_FILES, rowsOf, spentOfAllDays, tablesOf } from "./tables.ts";

/** How long an archive waits for its reader. */
const KEPT_MS = HOUR_MS;
const PART_BYTES = MOST_FRAME_BYTES / 2;

/** Collects lines, and stores them in parts of about the length of a frame. */
class PartStore {
  readonly #tx: Tx;
  readonly #archive: string;
  #lines: Buffer[] = [];
  #bytes = 0;
  #count = 0;

  constructor(tx: Tx, archive: string) {
    this.#tx = tx;
    this.#archive = archive;
  }

  add(line: string): void {
    const bytes = Buffer.from(line);
    this.#lines.push(bytes);
    this.#bytes += bytes.byteLength;
    if (this.#bytes >= PART_BYTES) this.#store();
  }

  /** Returns the number of parts. */
  end(): number {
    if (this.#bytes > 0) this.#store();
    return this.#count;
  }

  /** One row may be longer than a part. */
  #store(): void {
    const all = Buffer.concat(this.#lines);
    this.#lines = [];
    this.#bytes = 0;
    for (let at = 0; at < all.byteLength; at += MOST_FRAME_BYTES) {
      storePart(this.#tx.sql, this.#archive, this.#count, all.subarray(at, at + MOST_FRAME_BYTES));
      this.#count += 1;
    }
  }
}

/** Begins an archive. Until it was read, or an hour has passed, no run is deleted: what was archived is read at its end. */
export const openBackup = command({
  action: null,
  refuses: [],
  run(tx, _input: object) {
    const id = newId("bak", tx.now);
    noteOpened(tx.sql, id);
    tx.schedule(DUE.backupExpiry, "", tx.now + KEPT_MS);
    return done(200, {
      archive_id: id,
      head: lineOf({ head: headOf(tx, id) }),
      runs: lineOf({ table: "run_blocks", columns: CARRIED_COLUMNS }),
    });
  },
});

interface BackupPart {
  readonly archiveId: string;
  /** True if it names the files of archived runs as they are, because they were copied. Else it carries the runs. */
  readonly namesFiles: boolean;
}

/**
 * Copies the tables of the org into its archive, in one transaction, so that it is of one moment. They are stored beside the org
 * until they were read. `run_blocks` comes last: archived runs are more rows of it.
 */
export const makeBackup = command({
  action: "org.backed_up",
  refuses: ["conflict"],
  run(tx, { archiveId, namesFiles }: BackupPart) {
    if (!isOpenedAs(tx.sql, archiveId)) return refuseReplaced();
    const store = new PartStore(tx, archiveId);
    const rows: Record<string, number> = {};
    const tables = tablesOf(tx.sql).toSorted(
      (one, other) => Number(isRuns(one.name)) - Number(isRuns(other.name)),
    );
    for (const table of tables) {
      store.add(lineOf({ table: table.name, columns: isRuns(table.name) ? CARRIED_COLUMNS : table.columns }));
      let count = 0;
      const isLeft = !namesFiles && OF_FILES.has(table.name);
      for (const row of isLeft ? [] : rowsOf(tx.sql, isRuns(table.name) ? RUNS : table)) {
        store.add(rowLine(row as Cell[]));
        count += 1;
      }
      rows[table.name] = count;
    }
    if (!namesFiles) rows[RUNS.name] = (rows[RUNS.name] ?? 0) + countArchived(runSegments(tx.sql));
    const { seq, hash } = readEnd(tx, "head") ?? { seq: 0, hash: "" };
    const sums: ArchiveSums = { rows, spent: spentOfAllDays(tx.sql), audit: { seq, hash } };
    const parts = store.end();
    tx.schedule(DUE.backupExpiry, "", tx.now + KEPT_MS);
    const detail = { archive_id: archiveId, parts };
    return done(200, { parts, end: lineOf({ end: sums }) }, { target: tx.orgId, detail });
  },
});

const RUNS = { name: "run_blocks", columns: CARRIED_COLUMNS };

function isRuns(table: string): boolean {
  return table === RUNS.name;
}

function lineOf(line: ArchiveLine): string {
  return `${JSON.stringify(line)}\n`;
}

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

/** After it was read. */
export const dropBackup = command({
  action: null,
  refuses: [],
  run(tx, { archiveId }: { archiveId: string }) {
    dropOpened(tx.sql, archiveId);
    return done(204, null);
  },
});

export const expireBackup: DueHandler = {
  kind: "change",
  run: (tx) => void tx.sql.exec("DELETE FROM backup_frames"),
};
