import { checkpoint } from "../../storage/transaction.ts";
import {
  type ArchiveHead,
  type ArchiveLine,
  type ArchiveSums,
  toBindable,
  LineReader,
  quoteName,
} from "../../domain/archive/lines.ts";
import { FrameReader } from "../../domain/archive/frames.ts";
import type { Peppers } from "../../domain/key/peppers.ts";
import { spentOfAllDays, tablesOf } from "./tables.ts";

/** The schema steps of this version, which the object knows. */
export interface Steps {
  readonly known: ReadonlySet<string>;
  /** Every archive has it. */
  readonly first: string;
  /** Makes the tables of an earlier version, or of this one. */
  readonly apply: (names: readonly string[]) => void;
  /** Applies what is missing. */
  readonly upgrade: () => void;
}

/** Archived runs come apart from the others. */
const IN_PARTS = "run_blocks";

/** The archive cannot be loaded. Everything is rolled back. */
export class BadArchive extends Error {
  override readonly name = "BadArchive";
}

/**
 * Makes the org of an archive out of its frames, in the caller's transaction. Every frame is verified again. The tables
 * are made by the archive's own schema steps, so that one of an earlier version is upgraded afterwards.
 */
export function loadArchive(
  sql: SqlStorage,
  frames: Iterable<Uint8Array>,
  expected: { readonly peppers: Peppers; readonly orgId: string; readonly steps: Steps },
): ArchiveHead {
  const loader = new Loader(sql, expected);
  const reader = new FrameReader(...expected.peppers);
  const lines = new LineReader();
  for (const frame of frames) {
    const read = reader.push(frame);
    if (typeof read === "string") throw new BadArchive(read);
    for (const { content } of read) for (const line of lines.push(content)) loader.take(line);
  }
  const problem = reader.end();
  if (problem !== null) throw new BadArchive(problem);
  return loader.end();
}

class Loader {
  readonly #sql: SqlStorage;
  readonly #orgId: string;
  readonly #steps: Steps;
  #head: ArchiveHead | null = null;
  #sums: ArchiveSums | null = null;
  #table: string | null = null;
  #insert = "";
  #width = 0;
  readonly #rows: Record<string, number> = {};

  constructor(sql: SqlStorage, { orgId, steps }: { readonly orgId: string; readonly steps: Steps }) {
    this.#sql = sql;
    this.#orgId = orgId;
    this.#steps = steps;
  }

  take(line: ArchiveLine): void {
    if (this.#sums !== null) throw new BadArchive("something follows its end");
    if ("head" in line) this.#begin(line.head);
    else if ("table" in line) this.#open(line.table, line.columns);
    else if ("end" in line) this.#sums = line.end;
    else this.#row(line);
  }

  #begin(head: ArchiveHead): void {
    if (head.org_id !== this.#orgId) throw new BadArchive("it is of another organization");
    if (!head.steps.every((step) => this.#steps.known.has(step)))
      throw new BadArchive("it was made by a newer version");
    if (!head.steps.includes(this.#steps.first))
      throw new BadArchive("it was made by a version from before the first release");
    this.#head = head;
    this.#steps.apply(head.steps);
    // Rows that the steps themselves wrote are in the archive, too.
    for (const { name } of tablesOf(this.#sql)) this.#sql.exec(`DELETE FROM ${quoteName(name)}`);
  }

  #open(table: string, columns: readonly string[]): void {
    const own = tablesOf(this.#sql).find(({ name }) => name === table);
    const isSame = own !== undefined && own.columns.toSorted().join("\n") === columns.toSorted().join("\n");
    const isAgain = table in this.#rows && table !== IN_PARTS;
    if (!isSame || isAgain) throw new BadArchive(`its table ${table} is not one of its version`);
    this.#table = table;
    this.#rows[table] ??= 0;
    this.#width = columns.length;
    const places = columns.map(() => "?").join(", ");
    this.#insert = `INSERT INTO ${quoteName(table)} (${columns.map(quoteName).join(", ")}) VALUES (${places})`;
  }

  #row(cells: Extract<ArchiveLine, readonly unknown[]>): void {
    if (this.#table === null) throw new BadArchive("a row is in no table");
    if (cells.length !== this.#width)
      throw new BadArchive(`its table ${this.#table} has a row of another form`);
    this.#sql.exec(this.#insert, ...cells.map(toBindable));
    this.#rows[this.#table] = (this.#rows[this.#table] ?? 0) + 1;
  }

  end(): ArchiveHead {
    const [head, sums] = [this.#head, this.#sums];
    if (head === null || sums === null) throw new BadArchive("it has no end");
    const tables = tablesOf(this.#sql);
    for (const { name } of tables) {
      const { n } = this.#sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${quoteName(name)}`).one();
      if (n !== sums.rows[name]) throw new BadArchive(`its table ${name} has not the rows that it says`);
    }
    if (spentOfAllDays(checkpoint(this.#sql)) !== sums.spent) throw new BadArchive("its sums do not add up");
    return head;
  }
}
