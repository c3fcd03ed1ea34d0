import { median } from "./statistics.ts";
import type { BenchOrg } from "./archive-org.ts";
import { runAt } from "./archive-runs.ts";

/** How long the object works at once: when it wakes, checkpoints, and makes a file. All in processor time of its thread. */

const WAKES = 10;
const DAY_SECONDS = 90_000;
const BATCH = 1000;
/** Enough for a few files. */
const STEPPED_BATCHES = 8;
const MOST_STEPS = 400;
/** Each takes five seconds. */
const MOST_TRIES = 12;
const FULL_LOG = 250;
/** Enough for merges of the first two levels to end. */
const MERGES = 64;

async function timed(org: BenchOrg, work: () => Promise<unknown>): Promise<number> {
  const before = org.cpuMs();
  await work();
  return org.cpuMs() - before;
}

/** How long each run alone took that was sent after its object had woken: some of them merge segments, or checkpoint. */
const alone: number[] = [];

/** Sends a run alone. Its number follows all that were sent. */
async function sendAlone(org: BenchOrg): Promise<void> {
  await org.send("POST", "/v1/runs", runAt(org.saved.sent, org.saved.startMs));
  org.saved.sent += 1;
}

async function sendBatch(org: BenchOrg, count: number): Promise<void> {
  const { saved } = org;
  const runs = Array.from({ length: count }, (_, at) => runAt(saved.sent + at, saved.startMs));
  await org.send("POST", "/v1/runs/bulk", { runs });
  saved.sent += count;
}

/** Frequent calls, until a few more would checkpoint. */
async function fillLog(org: BenchOrg): Promise<void> {
  let waiting = await org.bench<number>("log");
  while (waiting < FULL_LOG) {
    for (let call = waiting; call < FULL_LOG; call += 1) {
      alone.push(await timed(org, () => sendAlone(org)));
    }
    waiting = await org.bench<number>("log");
  }
}

const times = (all: readonly number[]): string =>
  `${median(all).toFixed(0)} ms (${Math.min(...all).toFixed(0)} to ${Math.max(...all).toFixed(0)})`;

/** From a sleeping object with a full log to its first answer, which records a run; without the run itself. */
export async function wake(org: BenchOrg): Promise<string> {
  await fillLog(org);
  const woken: number[] = [];
  const recorded: number[] = [];
  for (let round = 0; round < WAKES; round += 1) {
    await org.evict();
    const first = await timed(org, () => sendAlone(org));
    const second = await timed(org, () => sendAlone(org));
    recorded.push(second);
    woken.push(first - second);
    await fillLog(org);
  }
  return `waking with a full log ${times(woken)} more than a run alone (${times(recorded)})`;
}

export async function checkpoints(org: BenchOrg): Promise<string> {
  const all: number[] = [];
  for (let round = 0; round < WAKES; round += 1) {
    await fillLog(org);
    const full = await timed(org, () => org.bench("checkpoint"));
    all.push(full - (await timed(org, () => org.bench("checkpoint"))));
  }
  return `a checkpoint of ${FULL_LOG} calls ${times(all)}`;
}

/** The run that fills a segment of the index of ids merges segments of all levels, a few steps of each. */
export async function merges(org: BenchOrg): Promise<string> {
  const all: number[] = [];
  for (let round = 0; round < MERGES; round += 1) {
    for (let left = await org.bench<number>("room"); left > 1; left = await org.bench<number>("room")) {
      await sendBatch(org, Math.min(BATCH, left - 1));
    }
    const merging = await timed(org, () => sendAlone(org));
    all.push(merging - (await timed(org, () => sendAlone(org))));
  }
  return `merging the index ${times(all)} more than a run alone`;
}

/** Calls that waited for a merge of segments or a checkpoint are the longest. */
export function longestAlone(): string {
  const calls = alone.toSorted((one, other) => one - other);
  const at = (share: number) => (calls[Math.floor((calls.length - 1) * share)] ?? 0).toFixed(1);
  return `${calls.length} runs alone of ${at(0.5)} ms, 99 % at most ${at(0.99)}, longest ${at(1)}`;
}

/** Makes files step by step. Other calls are served between two steps. */
export async function archiveSteps(org: BenchOrg): Promise<string> {
  await org.bench("watch?on=1");
  for (let batch = 0; batch < STEPPED_BATCHES; batch += 1) await sendBatch(org, BATCH);
  const moved = org.advance(DAY_SECONDS);
  // The move of the clock first waits until no slice can be used.
  for (let tries = 0; tries < MOST_TRIES && !(await org.bench<boolean>("next")); tries += 1);
  const all: number[] = [];
  while (all.length < MOST_STEPS) {
    const before = org.cpuMs();
    const isMore = await org.bench<boolean>("next");
    all.push(org.cpuMs() - before);
    if (!isMore) break;
  }
  await org.bench("watch?on=0");
  await moved;
  // The last waits for nothing.
  const steps = all.slice(0, -1).sort((one, other) => one - other);
  if (steps.length === 0) throw new Error("nothing was archived while it was watched");
  const at = (share: number) => (steps[Math.floor((steps.length - 1) * share)] ?? 0).toFixed(1);
  return `${steps.length} archive steps of ${at(0.5)} ms, 99 % at most ${at(0.99)}, longest ${at(1)}`;
}
