import { transaction } from "../../transaction.ts";
import type { Rollup } from "../layout.ts";
import { isAlike, lastSeqOf, type LocalSegment } from "../metadata.ts";
import type { Segments } from "../segments.ts";
import { joinZoneMaps } from "../zone-map.ts";
import { nextToRollUp, ROLLUP_SIZE, type RollupSize } from "./next.ts";
import { lastRolledUpRow, writeRollups } from "./table.ts";

/** Rollups of one round. The rest is done in the next. */
const AT_ONCE = 16;
/** Fewer rows are read as quickly themselves. */
const LEAST_OLD_ROWS = 1024;

interface RollupWork {
  readonly storage: DurableObjectStorage;
  readonly segments: Segments;
}

/** Adds up what is about to be archived, even if it is little: from then on, reading it takes a file. */
export async function rollUpOld(work: RollupWork, untilMs: number): Promise<void> {
  await rollUpSome(work, { ...ROLLUP_SIZE, leastRows: LEAST_OLD_ROWS, untilMs });
}

/** Adds up stored rows, so that reports need not read each of them. */
export async function rollUpSome(work: RollupWork, size: RollupSize = ROLLUP_SIZE): Promise<void> {
  for (let round = 0; round < AT_ONCE; round += 1) {
    const next = nextToRollUp(work.segments, size);
    if (next.length === 0) return;
    await makeRollup(work, next);
  }
}

/** Other calls are served after each segment. Nothing is stored if they have changed one of these. */
async function makeRollup({ storage, segments }: RollupWork, chosen: readonly LocalSegment[]): Promise<void> {
  const isThere = (segment: LocalSegment) => isAlike(segment, segments.with(segment.firstSeq));
  const maker = segments.layout.rollupMaker();
  for (const segment of chosen) {
    if (!isThere(segment)) return;
    maker.add(segments.bytesOf(segment));
    await scheduler.wait(0);
  }
  const rollups: Rollup[] = [];
  for (const rollup of maker.rollups()) {
    rollups.push(rollup);
    await scheduler.wait(0);
  }
  const [first, last] = [chosen[0], chosen.at(-1)];
  if (first === undefined || last === undefined) return;
  transaction(storage, () => {
    if (first.firstSeq <= lastRolledUpRow(segments) || !chosen.every(isThere)) return;
    const { startedMin, startedMax } = joinZoneMaps(chosen);
    const of = { firstSeq: first.firstSeq, lastSeq: lastSeqOf(last), startedMin, startedMax };
    writeRollups(segments, of, rollups);
  });
}
