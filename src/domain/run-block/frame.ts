import { ByteWriter } from "./byte-writer.ts";
import { writeNames } from "./names.ts";
import { COLUMN_NUMBERS, NAME_COLUMNS, type RunRecord } from "./record.ts";
import { writeTexts } from "./texts.ts";

export const END = 0;

const columnWriter = new ByteWriter();

/**
 * Runs as one frame: how many, then each column with its number and its length, then 0. Columns in which no run has
 * anything are left out. A block is one frame after another.
 */
export function encodeFrame(runs: readonly RunRecord[]): Uint8Array<ArrayBuffer> {
  const frame = new ByteWriter();
  frame.count(runs.length);
  const add = (column: keyof RunRecord, write: (writer: ByteWriter) => void) => {
    columnWriter.clear();
    write(columnWriter);
    frame.byte(COLUMN_NUMBERS[column]);
    frame.count(columnWriter.length);
    frame.append(columnWriter.view);
  };
  add("id", (writer) =>
    writeTexts(
      writer,
      runs.map((run) => run.id),
    ),
  );
  add("startedAt", (writer) => writeSteps(writer, runs, "startedAt"));
  add("recordedAt", (writer) => writeSteps(writer, runs, "recordedAt"));
  if (runs.some((run) => run.chargedAt !== run.recordedAt)) {
    add("chargedAt", (writer) => {
      for (const run of runs) writer.signed(run.recordedAt - run.chargedAt);
    });
  }
  if (runs.some((run) => run.endedAt !== null)) {
    // One more than how long it took, so that 0 is left for null.
    add("endedAt", (writer) => {
      for (const run of runs) writer.count(run.endedAt === null ? 0 : run.endedAt - run.startedAt + 1);
    });
  }
  add("cost", (writer) => {
    for (const run of runs) writer.amount(run.cost);
  });
  for (const column of COUNTS) {
    if (!runs.some((run) => run[column] !== 0)) continue;
    add(column, (writer) => {
      for (const run of runs) writer.count(run[column]);
    });
  }
  for (const column of NAME_COLUMNS) {
    if (!runs.some((run) => run[column] !== null)) continue;
    add(column, (writer) =>
      writeNames(
        writer,
        runs.map((run) => run[column]),
      ),
    );
  }
  if (runs.some((run) => run.parentRunId !== null)) {
    add("parentRunId", (writer) =>
      writeTexts(
        writer,
        runs.map((run) => run.parentRunId),
      ),
    );
  }
  if (runs.some((run) => run.extra !== null)) {
    add("extra", (writer) =>
      writeTexts(
        writer,
        runs.map(({ extra }) => (extra === null ? null : JSON.stringify(extra))),
      ),
    );
  }
  frame.byte(END);
  return frame.bytes;
}

export const COUNTS = ["inputTokens", "outputTokens", "depth"] as const;

/** Moments that mostly follow one another. */
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
