import { ByteWriter } from "./byte-writer.ts";
import { writeNames } from "./names.ts";
import { COLUMN_NUMBERS, NAME_COLUMNS, type RunRecord } from "./record.ts";
import { writeTexts } from "./texts.ts";

export const END = 0;

const columnWriter = new ByteWriter();

/**
 * Runs as one frame: their number, then each column with its number and length, then 0. Columns without values are left
 * out. A block is a sequence of frames.
 */
export function encodeFrame(runs: readonly RunRecord[]): Uint8Array<ArrayBuffer> {
  const frame = new ByteWriter();
  frame.count(runs.length);
  for (const { column, isPresent, write } of COLUMNS) {
    if (isPresent !== undefined && !runs.some(isPresent)) continue;
    columnWriter.clear();
    write(columnWriter, runs);
    frame.byte(COLUMN_NUMBERS[column]);
    frame.count(columnWriter.length);
    frame.append(columnWriter.view);
  }
  frame.byte(END);
  return frame.bytes;
}

export const COUNTS = ["inputTokens", "outputTokens", "depth"] as const;

interface Column {
  readonly column: keyof RunRecord;
  /** Whether a run has a value here. Without this function the column is always written. */
  readonly isPresent?: (run: RunRecord) => boolean;
  readonly write: (writer: ByteWriter, runs: readonly RunRecord[]) => void;
}

/** In the order in which they are written. */
const COLUMNS: readonly Column[] = [
  {
    column: "id",
    write: (writer, runs) =>
      writeTexts(
        writer,
        runs.map((run) => run.id),
      ),
  },
  { column: "startedAt", write: (writer, runs) => writeSteps(writer, runs, "startedAt") },
  { column: "recordedAt", write: (writer, runs) => writeSteps(writer, runs, "recordedAt") },
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
  ...COUNTS.map((column): Column => ({
    column,
    isPresent: (run) => run[column] !== 0,
    write(writer, runs) {
      for (const run of runs) writer.count(run[column]);
    },
  })),
  ...NAME_COLUMNS.map((column): Column => ({
    column,
    isPresent: (run) => run[column] !== null,
    write: (writer, runs) =>
      writeNames(
        writer,
        runs.map((run) => run[column]),
      ),
  })),
  {
    column: "parentRunId",
    isPresent: (run) => run.parentRunId !== null,
    write: (writer, runs) =>
      writeTexts(
        writer,
        runs.map((run) => run.parentRunId),
      ),
  },
  {
    column: "extra",
    isPresent: (run) => run.extra !== null,
    write: (writer, runs) =>
      writeTexts(
        writer,
        runs.map(({ extra }) => (extra === null ? null : JSON.stringify(extra))),
      ),
  },
];

/** Times that are mostly close together: each is written as the difference from the previous one. */
function writeSteps(
  writer: ByteWriter,
  runs: readonly RunRecord[],
  column: "startedAt" | "recordedAt",
): void {
  let previous = 0;
  for (const run of runs) {
    writer.signed(run[column] - previous);
    previous = run[column];
  }
}
