import { type Rollup, RollupMaker } from "../../../domain/usage-report/rollup-maker.ts";
import { DUE } from "../../kernel/due-kinds.ts";
import type { DueContext, DueHandler } from "../../kernel/due/handler.ts";
import { scheduleDue } from "../../kernel/due/table.ts";
import { transaction } from "../../../storage/transaction.ts";
import { runSegments } from "../segments/segments.ts";
import { type SegmentMetadata, segmentWith, isAlike, lastSeqOf } from "../segments/metadata.ts";
import { ROLLUP_SIZE, type RollupSize, nextToRollUp } from "./next.ts";
import { rolledUpTo, writeRollups } from "./table.ts";

/** Rollups of one round. What is left goes on in the next. */
const AT_ONCE = 16;
/** Fewer runs are read as quickly themselves. */
const LEAST_OLD_RUNS = 1024;

type Context = Pick<DueContext, "storage" | "view">;

/** Adds up stored runs, so that reports need not read each of them. */
export const rollUpRuns: DueHandler = {
  kind: "work",
  async run(context) {
    await rollUpSome(context, ROLLUP_SIZE);
    const { sql, now } = context.view();
    const isMore = nextToRollUp(sql, ROLLUP_SIZE).length > 0;
    transaction(context.storage, () => scheduleDue(sql, DUE.runDigests, "", isMore ? now : null));
  },
};

/** Adds up what is about to be archived, even if it is little: from then on, reading it takes a file. */
export async function rollUpOld(context: Context, untilMs: number): Promise<void> {
  await rollUpSome(context, { ...ROLLUP_SIZE, leastRuns: LEAST_OLD_RUNS, untilMs });
}

export async function rollUpSome(context: Context, size: RollupSize): Promise<void> {
  for (let round = 0; round < AT_ONCE; round += 1) {
    const segments = nextToRollUp(context.storage.sql, size);
    if (segments.length === 0) return;
    await makeRollup(context, segments);
  }
}

/** Other calls are served after each segment. Nothing is stored if they have changed one of these. */
async function makeRollup({ storage }: Context, segments: readonly SegmentMetadata[]): Promise<void> {
  const { sql } = storage;
  const maker = new RollupMaker();
  for (const segment of segments) {
    if (!isThere(sql, segment)) return;
    maker.add(runSegments(sql).bytesOf(segment));
    await scheduler.wait(0);
  }
  const rollups: Rollup[] = [];
  for (const rollup of maker.rollups()) {
    rollups.push(rollup);
    await scheduler.wait(0);
  }
  const [first, last] = [segments[0], segments.at(-1)];
  if (first === undefined || last === undefined) return;
  transaction(storage, () => {
    if (first.firstSeq <= rolledUpTo(sql) || !segments.every((segment) => isThere(sql, segment))) return;
    const of = {
      firstSeq: first.firstSeq,
      lastSeq: lastSeqOf(last),
      startedMin: Math.min(...segments.map(({ startedMin }) => startedMin)),
      startedMax: Math.max(...segments.map(({ startedMax }) => startedMax)),
    };
    writeRollups(sql, of, rollups);
  });
}

function isThere(sql: SqlStorage, segment: SegmentMetadata): boolean {
  return isAlike(segment, segmentWith(runSegments(sql).segments, segment.firstSeq));
}
