import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Random, randomFrom } from "../../scripts/chaos/random.ts";
import { type ApiDocument, operationsOf } from "../../scripts/frozen-contract/openapi.ts";
import { type FuzzService, FuzzWorld } from "../support/fuzz/world.ts";
import { TEST_MS } from "../support/patience.ts";
import { callerAt, serverFixture, type ServerFixture } from "../support/server.ts";

/**
 * Every operation of the OpenAPI document is called with what it describes and with what it does not. Nothing that
 * somebody stores or sends makes an answer fail, that one or a later one.
 */

const SECONDS = Number(process.env["FUZZ_SECONDS"] ?? 30);
const SEED = Number(process.env["FUZZ_SEED"] ?? 20_261);
const WORLDS = 4;
/** A world has calls as described first, then worse and worse ones, then reads of what they stored. */
const HARMS = [0, 2, 1, 4, 0, 3];
const LEAST_ROUNDS = 2;

let fixture: ServerFixture;
let service: FuzzService;

beforeAll(async () => {
  fixture = await serverFixture();
  const url = fixture.server.urls[0];
  const document = (await callerAt(url)("GET", "/v1/openapi.json")).body as ApiDocument;
  service = { url, operatorKey: fixture.server.settings["SVC_OPERATOR_KEY"] ?? "", document };
});
afterAll(() => fixture.end());

function shuffled<T>(random: Random, values: readonly T[]): T[] {
  return values
    .map((value) => [random(), value] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, value]) => value);
}

interface Tally {
  readonly findings: string[];
  readonly statuses: Map<string, Set<number>>;
  calls: number;
}

/** One world after the other until the time is over: at least one, with two rounds and what can be read after them. */
async function callWorlds(random: Random, tally: Tally, untilMs: number): Promise<void> {
  const operations = operationsOf(service.document);
  const reads = operations.filter(({ name }) => name.startsWith("GET "));
  do {
    const world = await FuzzWorld.make(service, random);
    const round = async (harm: number, called: typeof operations) => {
      for (const { name, operation } of shuffled(random, called)) {
        const { status, findings } = await world.call(name, operation, harm);
        tally.findings.push(...findings);
        tally.statuses.set(name, (tally.statuses.get(name) ?? new Set()).add(status));
        tally.calls += 1;
      }
    };
    for (const [at, harm] of HARMS.entries())
      if (at < LEAST_ROUNDS || Date.now() < untilMs) await round(harm, operations);
    await round(0, reads);
  } while (Date.now() < untilMs);
}

test("no call makes this answer or a later one fail", { timeout: TEST_MS + SECONDS * 1000 }, async () => {
  const tally: Tally = { findings: [], statuses: new Map(), calls: 0 };
  const untilMs = Date.now() + SECONDS * 1000;
  const worlds = Array.from({ length: WORLDS }, (_, at) => randomFrom(SEED + at));
  await Promise.all(worlds.map((random) => callWorlds(random, tally, untilMs)));
  expect(tally.findings, `${tally.calls} calls with FUZZ_SEED=${SEED}`).toEqual([]);
  expect(causes(fixture.server.folder.log)).toEqual([]);
  // Calls that are all refused would find nothing.
  const answered = [...tally.statuses.values()].filter((statuses) =>
    [...statuses].some((status) => status < 300),
  );
  expect(answered.length).toBeGreaterThan(tally.statuses.size / 2);
});

/** Failures that were logged, those of work that nobody waits for included. The local runtime restores no object. */
function causes(log: string): string[] {
  const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
  return lines.filter((line) => line.includes('"cause":') && !line.includes("point-in-time recovery"));
}
