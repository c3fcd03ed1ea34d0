import { type Digest, DigestMaker } from "../../../domain/usage-report/digest-maker.ts";
import { DUE } from "../../kernel/due-kinds.ts";
import type { DueContext, DueHandler } from "../../kernel/due/handler.ts";
import { scheduleDue } from "../../kernel/due/table.ts";
import { transaction } from "../../../storage/transaction.ts";
import { runBlocks } from "../blocks/blocks.ts";
import { type BlockEntry, entryWith, isAlike, lastSeqOf } from "../blocks/entry.ts";
import { DIGEST_SIZE, type DigestSize, nextToDigest } from "./next.ts";
import { digestedTo, writeDigests } from "./table.ts";

/** Digests of one round. What is left goes on in the next. */
const AT_ONCE = 16;
/** Fewer runs are read as quickly themselves. */
const LEAST_OLD_RUNS = 1024;

type Context = Pick<DueContext, "storage" | "view">;

/** Adds up stored runs, so that reports need not read each of them. */
export const digestRuns: DueHandler = {
  kind: "work",
  async run(context) {
    await digestSome(context, DIGEST_SIZE);
    const { sql, now } = context.view();
    const isMore = nextToDigest(sql, DIGEST_SIZE).length > 0;
    transaction(context.storage, () => scheduleDue(sql, DUE.runDigests, "", isMore ? now : null));
  },
};

/** Adds up what is about to be archived, even if it is little: from then on, reading it takes a file. */
export async function digestOld(context: Context, untilMs: number): Promise<void> {
  await digestSome(context, { ...DIGEST_SIZE, leastRuns: LEAST_OLD_RUNS, untilMs });
}

export async function digestSome(context: Context, size: DigestSize): Promise<void> {
  for (let round = 0; round < AT_ONCE; round += 1) {
    const entries = nextToDigest(context.storage.sql, size);
    if (entries.length === 0) return;
    await makeDigest(context, entries);
  }
}

/** Other calls are served after each block. Nothing is stored if they have changed one of these. */
async function makeDigest({ storage }: Context, entries: readonly BlockEntry[]): Promise<void> {
  const { sql } = storage;
  const maker = new DigestMaker();
  for (const entry of entries) {
    if (!isThere(sql, entry)) return;
    maker.add(runBlocks(sql).bytesOf(entry));
    await scheduler.wait(0);
  }
  const digests: Digest[] = [];
  for (const digest of maker.digests()) {
    digests.push(digest);
    await scheduler.wait(0);
  }
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return;
  transaction(storage, () => {
    if (first.firstSeq <= digestedTo(sql) || !entries.every((entry) => isThere(sql, entry))) return;
    const of = {
      firstSeq: first.firstSeq,
      lastSeq: lastSeqOf(last),
      startedMin: Math.min(...entries.map(({ startedMin }) => startedMin)),
      startedMax: Math.max(...entries.map(({ startedMax }) => startedMax)),
    };
    writeDigests(sql, of, digests);
  });
}

function isThere(sql: SqlStorage, entry: BlockEntry): boolean {
  return isAlike(entry, entryWith(runBlocks(sql).entries, entry.firstSeq));
}
