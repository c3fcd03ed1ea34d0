import { type ChildProcess, spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { StandIn } from "../../../scripts/stand-in/server.ts";
import { STAND_IN_WORDS } from "../../../scripts/stand-in/words.ts";
import { seenInput } from "../../../src/providers/body/input-bound.ts";
import {
  type Governed,
  governed,
  PROVIDER_KEY,
  type Recorded,
  startProvider,
} from "../../support/governed.ts";
import { installedPackage } from "../../support/installed-package.ts";
import { call, sharedServer } from "../../support/server.ts";

/**
 * Every allow is settled or accounted for, whatever becomes of streams and processes. `SLUICE_STREAMS=1000` runs the whole
 * number.
 *
 * What an abort leaves unknown: the pieces that the provider has sent and nobody has read, between its last read piece and
 * the moment at which it notices. So a stream that was left may be recorded with fewer words than were sent, never with more.
 * If its usage did not come in time, each word counts as the most tokens that its text can be, and its input is an estimate. A process that is killed records nothing: its streams are open reservations, each at least
 * what the stream had cost. What it had leased is reserved beside them.
 */
const STREAMS = Number(process.env["SLUICE_STREAMS"] ?? 60);
const PROCESSES = 10;
const WORDS = 40;
const MOST_TOKENS = 1000;
/** Of gpt-4o-mini. */
const USD_PER_TOKEN = { input: 0.15e-6, output: 0.6e-6 };

const BODY = {
  model: "gpt-4o-mini",
  max_tokens: MOST_TOKENS,
  stream: true,
  stream_options: { include_usage: true },
  messages: [{ role: "user", content: `${WORDS} words` }],
};
const RESERVED_USD = seenInput(BODY, 0).tokens * USD_PER_TOKEN.input + MOST_TOKENS * USD_PER_TOKEN.output;

let installed: Awaited<ReturnType<typeof installedPackage>>;
let provider: StandIn;
let org: Governed;

beforeAll(async () => {
  installed = await installedPackage(["openai"]);
  cpSync("test/support/stream-process.mjs", join(installed.path, "stream-process.mjs"));
  provider = await startProvider(3);
  org = await governed();
});
afterAll(async () => {
  installed.remove();
  await provider.close();
});

function startProcess(streams: number): { child: ChildProcess; ended: Promise<void>; said: () => string } {
  const child = spawn(
    process.execPath,
    ["stream-process.mjs", String(streams), String(WORDS), JSON.stringify(BODY)],
    {
      cwd: installed.path,
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        ...process.env,
        SLUICE_URL: sharedServer().urls[0],
        SLUICE_KEY: org.key,
        OPENAI_BASE_URL: `${provider.url}/v1`,
        OPENAI_API_KEY: PROVIDER_KEY,
      },
    },
  );
  let said = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (said += text));
  return { child, said: () => said, ended: new Promise((resolve) => child.once("close", () => resolve())) };
}

test(`${STREAMS} streams, a third of them aborted, a tenth of the processes killed`, async () => {
  const processes = Array.from({ length: PROCESSES }, () => startProcess(STREAMS / PROCESSES));
  const [victim, ...others] = processes;
  // In the middle of its work: some of its runs are sent, some are not, and some streams go on.
  const doneBy = () => victim?.said().match(/done/g)?.length ?? 0;
  await expect.poll(doneBy, { interval: 5 }).toBeGreaterThanOrEqual(STREAMS / PROCESSES / 2);
  victim?.child.kill("SIGKILL");
  await Promise.all(processes.map(({ ended }) => ended));
  for (const { said } of others) expect(said()).toContain("closed");
  await expect.poll(() => provider.served.every(({ ended }) => ended !== null)).toBe(true);

  const settled = others.length * (STREAMS / PROCESSES);
  const runs = await allRuns(settled);
  const { served } = provider;
  const whole = runs.filter((run) => run["outcome"] === "completed");
  const left = runs.filter((run) => run["outcome"] === "cancelled");
  const open = Math.round(Number(await org.reserved()) / RESERVED_USD);
  const recordedOutput = sum(runs.map(wordsOf));
  const servedOutput = sum(served.map(({ outputTokens }) => outputTokens));
  const unknownOutput = sum(left.map((run) => WORDS - wordsOf(run)));

  const cut = served.filter(({ ended }) => ended === "cut").length;
  const summary = `${STREAMS} streams: ${served.length} served, ${cut} of them cut; ${whole.length} runs whole, ${left.length} cancelled, ${open} reservations open or leased; ${servedOutput} output tokens served, ${recordedOutput} recorded`;
  if (process.env["SLUICE_STREAMS"] !== undefined) process.stderr.write(`${summary}\n`);

  expect(whole.length + left.length).toBe(runs.length);
  for (const run of whole) expect(run["usage"].output_tokens).toBe(WORDS);
  expect(whole.length).toBeLessThanOrEqual(served.length - cut);
  expect(runs.length).toBeLessThanOrEqual(served.length);
  expect(runs.length + open).toBeGreaterThanOrEqual(served.length);
  expect(recordedOutput).toBeLessThanOrEqual(servedOutput);
  // Of an open reservation no more is known than that it covers its stream.
  expect(recordedOutput + unknownOutput + open * MOST_TOKENS).toBeGreaterThanOrEqual(servedOutput);
});

/** A byte is a token at most, and each piece may have one that is not shown. */
const MOST_TOKENS_PER_WORD = Math.max(...STAND_IN_WORDS.map((word) => ` ${word}`.length + 1));

/** How many words a run has surely been charged for. */
function wordsOf(run: Recorded): number {
  const { output_tokens: tokens } = run["usage"];
  return run["estimated"] === true ? Math.floor(tokens / MOST_TOKENS_PER_WORD) : tokens;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** All runs of the org, once those of the processes that ended by themselves are there. */
async function allRuns(least: number): Promise<Recorded[]> {
  let runs: Recorded[] = [];
  await expect
    .poll(async () => {
      runs = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const path = `/v1/runs?limit=200${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
        const { body } = await call("GET", path, { key: org.key });
        runs.push(...body.data);
        cursor = body.next_cursor ?? null;
      }
      return runs.length;
    })
    .toBeGreaterThanOrEqual(least);
  return runs;
}
