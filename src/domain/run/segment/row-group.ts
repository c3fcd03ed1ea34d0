import { ByteWriter } from "../../bytes/byte-writer.ts";
import { NamesOfRuns } from "./names.ts";
import { COLUMN_NUMBERS, NAME_COLUMNS, type NameColumn, type RunRecord } from "./record.ts";
import { writeTexts } from "./texts.ts";

export const END = 0;

const columnWriter = new ByteWriter();

/** Each name column that is not empty, with its names. */
export type ColumnNames = ReadonlyMap<NameColumn, readonly string[]>;

export interface EncodedRowGroup {
  readonly data: Uint8Array<ArrayBuffer>;
  readonly names: ColumnNames;
}

/**
 * Runs as one row group: their number, then each column with its number and length, then 0. Columns without values are left
 * out. A segment is a sequence of row groups.
 */
export function encodeRowGroup(runs: readonly RunRecord[]): EncodedRowGroup {
  const rowGroup = new ByteWriter();
  const names = new Map<NameColumn, readonly string[]>();
  rowGroup.count(runs.length);
  writeColumns(rowGroup, FIRST_COLUMNS, runs);
  const namesIn = namesByColumn(runs);
  for (const column of NAME_COLUMNS) {
    const inColumn = namesIn[column];
    const all = inColumn.names;
    if (all.length === 0) continue;
    names.set(column, all);
    writeColumn(rowGroup, column, (to) => inColumn.write(to));
  }
  writeColumns(rowGroup, LAST_COLUMNS, runs);
  rowGroup.byte(END);
  return { data: rowGroup.bytes, names };
}

function writeColumns(rowGroup: ByteWriter, columns: readonly Column[], runs: readonly RunRecord[]): void {
  for (const { column, isPresent, write } of columns) {
    if (isPresent === undefined || runs.some(isPresent))
      writeColumn(rowGroup, column, (to) => write(to, runs));
  }
}

function writeColumn(rowGroup: ByteWriter, column: keyof RunRecord, write: (to: ByteWriter) => void): void {
  columnWriter.clear();
  write(columnWriter);
  rowGroup.byte(COLUMN_NUMBERS[column]);
  rowGroup.count(columnWriter.length);
  rowGroup.append(columnWriter.view);
}

/**
 * The names of all runs, by column. Written out: a property is read by its own name several times faster than by one in a
 * variable, or by a function.
 */
function namesByColumn(runs: readonly RunRecord[]): Record<NameColumn, NamesOfRuns> {
  const names: Record<NameColumn, NamesOfRuns> = {
    model: new NamesOfRuns(runs.length),
    action: new NamesOfRuns(runs.length),
    workflowId: new NamesOfRuns(runs.length),
    deploymentId: new NamesOfRuns(runs.length),
    departmentId: new NamesOfRuns(runs.length),
    customerId: new NamesOfRuns(runs.length),
    chainId: new NamesOfRuns(runs.length),
    charges: new NamesOfRuns(runs.length),
    userId: new NamesOfRuns(runs.length),
    provider: new NamesOfRuns(runs.length),
    keyId: new NamesOfRuns(runs.length),
    outcome: new NamesOfRuns(runs.length),
    tags: new NamesOfRuns(runs.length),
  };
  for (const run of runs) {
    names.model.add(run.model);
    names.action.add(run.action);
    names.workflowId.add(run.workflowId);
    names.deploymentId.add(run.deploymentId);
    names.departmentId.add(run.departmentId);
    names.customerId.add(run.customerId);
    names.chainId.add(run.chainId);
    names.charges.add(run.charges);
    names.userId.add(run.userId);
    names.provider.add(run.provider);
    names.keyId.add(run.keyId);
    names.outcome.add(run.outcome);
    names.tags.add(run.tags);
  }
  return names;
}

interface Column {
  readonly column: keyof RunRecord;
  /** True if a run has a value here. Without this function the column is always written. */
  readonly isPresent?: (run: RunRecord) => boolean;
  readonly write: (writer: ByteWriter, runs: readonly RunRecord[]) => void;
}

function textsOf(textIn: (run: RunRecord) => string | null): Column["write"] {
  return (writer, runs) => writeTexts(writer, runs.map(textIn));
}

/** Times are mostly close together, so each is written as the difference from the previous one. */
function stepsOf(timeIn: (run: RunRecord) => number): Column["write"] {
  return (writer, runs) => {
    let previous = 0;
    for (const run of runs) {
      const time = timeIn(run);
      writer.signed(time - previous);
      previous = time;
    }
  };
}

/** In the order in which they are written, before the columns of names. */
const FIRST_COLUMNS: readonly Column[] = [
  { column: "id", write: textsOf((run) => run.id) },
  { column: "startedAt", write: stepsOf((run) => run.startedAt) },
  { column: "recordedAt", write: stepsOf((run) => run.recordedAt) },
  {
    column: "chargedAt",
    isPresent: (run) => run.chargedAt !== run.recordedAt,
    write(writer, runs) {
      for (const run of runs) writer.signed(run.recordedAt - run.chargedAt);
    },
  },
  {
    column: "endedAt",
    isPresent: (run) => run.endedAt !== null,
    // One more than the duration, because 0 stands for null.
    write(writer, runs) {
      for (const run of runs) writer.count(run.endedAt === null ? 0 : run.endedAt - run.startedAt + 1);
    },
  },
  {
    column: "cost",
    write(writer, runs) {
      for (const run of runs) writer.amount(run.cost);
    },
  },
  {
    column: "inputTokens",
    isPresent: (run) => run.inputTokens !== 0,
    write(writer, runs) {
      for (const run of runs) writer.count(run.inputTokens);
    },
  },
  {
    column: "outputTokens",
    isPresent: (run) => run.outputTokens !== 0,
    write(writer, runs) {
      for (const run of runs) writer.count(run.outputTokens);
    },
  },
  {
    column: "depth",
    isPresent: (run) => run.depth !== 0,
    write(writer, runs) {
      for (const run of runs) writer.count(run.depth);
    },
  },
];

/** After them. */
const LAST_COLUMNS: readonly Column[] = [
  {
    column: "parentRunId",
    isPresent: (run) => run.parentRunId !== null,
    write: textsOf((run) => run.parentRunId),
  },
  {
    column: "extra",
    isPresent: (run) => run.extra !== null,
    write: textsOf(({ extra }) => (extra === null ? null : JSON.stringify(extra))),
  },
];
