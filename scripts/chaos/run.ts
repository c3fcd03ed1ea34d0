import { setTimeout as sleep } from "node:timers/promises";
import { logFiles } from "../logfile.ts";
import { Faults } from "./faults.ts";
import { filesUnder, foundSecrets } from "./found-secrets.ts";
import { GateProcesses } from "./gate-processes.ts";
import { crowd, crowdAlone } from "./crowd.ts";
import type { History, RoundFinding } from "./history.ts";
import type { ChaosOptions } from "./options.ts";
import { growOld } from "./past.ts";
import { proxyHistory, useProxy } from "./proxy-traffic.ts";
import { randomFrom } from "./random.ts";
import { readBack } from "./read-back.ts";
import { call, changeLimits, type Traffic, useUp } from "./traffic.ts";
import { type Org, openOrg, openWorld, type World } from "./world.ts";

const ROOMY_NANOS = 1_000_000_000;
const TIGHT_NANOS = 3000;
/** Between two faults callers get this many answers, or this long. */
const ANSWERS_BETWEEN = 20;
const PATIENCE_MS = 3000;
const KILLS_TOLD = 10;

export interface Outcome {
  readonly history: History;
  readonly faults: ReadonlyMap<string, number>;
  readonly kills: number;
  readonly answers: number;
  readonly diskBy: string | null;
}

/**
 * Everything at once, until the time is over and there were enough kills, or somebody ends it; then all that callers and service
 * say of it.
 */
export async function runChaos(options: ChaosOptions, ending: AbortSignal): Promise<Outcome> {
  const isPlanted = options.plant !== null;
  const world = await openWorld(isPlanted ? "scripts/chaos/faulty-worker.ts" : "test/support/odd-worker.ts");
  try {
    return await chaosIn(world, options, ending);
  } finally {
    await world.close();
  }
}

async function chaosIn(world: World, options: ChaosOptions, ending: AbortSignal): Promise<Outcome> {
  const random = randomFrom(options.seed);
  const home = await openOrg(world, { name: "at home in eu", home: "eu", limitNanos: ROOMY_NANOS });
  const away = await openOrg(world, { name: "at home in us", home: "us", limitNanos: ROOMY_NANOS });
  const tight = await openOrg(world, {
    name: "short of money",
    home: "eu",
    limitNanos: TIGHT_NANOS,
    onlyGrows: true,
  });
  const proxied = await openOrg(world, { name: "behind the proxy", home: "eu", limitNanos: ROOMY_NANOS });
  const crowded = await openOrg(world, { name: "crowded", home: "eu", limitNanos: ROOMY_NANOS });
  const old = await openOrg(world, { name: "of the past", home: "eu", limitNanos: ROOMY_NANOS });
  const orgs = [home, away, tight];
  const rounds: RoundFinding[] = [];
  const traffic: Traffic = {
    random,
    secrets: world.secrets,
    unpromised: world.unpromised,
    answers: 0,
    isOver: false,
  };
  await crowdAlone(world, crowded, rounds);
  const gates = new GateProcesses(world, [home, tight], traffic);
  const work = Promise.all([
    ...["a", "b"].map((name) => call(home, name, traffic)),
    ...["c", "d"].map((name) => call(away, name, traffic)),
    ...["e", "f"].map((name) => useUp(tight, name, traffic)),
    changeLimits(tight, traffic),
    useProxy(world, proxied, traffic),
    crowd(world, crowded, traffic, rounds),
    growOld(old, world.operator, traffic, rounds),
    keepPlanted(world, options, traffic),
  ]);
  work.catch(() => (traffic.isOver = true));
  const faults = new Faults({ world, gates, orgs, random });
  await strikeUntilOver(faults, traffic, { ...options, ending });
  traffic.isOver = true;
  await faults.end();
  await work;
  const holdsRefused = await gates.end();
  const history = await historyOf(world, orgs, { proxied, holdsRefused, rounds });
  return {
    history,
    faults: faults.counts,
    kills: faults.kills,
    answers: traffic.answers,
    diskBy: world.eu.disk.how,
  };
}

/** On a busy machine there are fewer kills than were asked for, rather than no end. */
export function mostSecondsOf(seconds: number): number {
  return seconds * 2 + 30;
}

async function strikeUntilOver(
  faults: Faults,
  traffic: Traffic,
  { seconds, kills, ending }: { seconds: number; kills: number; ending: AbortSignal },
): Promise<void> {
  const until = performance.now() + seconds * 1000;
  const atLast = performance.now() + mostSecondsOf(seconds) * 1000;
  let told = 0;
  const isOver = () => traffic.isOver || ending.aborted || performance.now() > atLast;
  while (!isOver() && (performance.now() < until || faults.kills < kills)) {
    await progress(traffic);
    await sleep(traffic.random() * 200);
    await faults.strike();
    if (faults.kills >= told + KILLS_TOLD) {
      told = faults.kills;
      console.error(`${told} kills, ${traffic.answers} answers`);
    }
  }
}

async function progress(traffic: Traffic): Promise<void> {
  const enough = traffic.answers + ANSWERS_BETWEEN;
  const until = performance.now() + PATIENCE_MS;
  while (traffic.answers < enough && performance.now() < until) await sleep(10);
}

const PLANT_AGAIN_MS = 500;

/** A defect shows once and is gone, or ends with its runtime: it is planted again and again. */
async function keepPlanted({ eu }: World, { plant }: ChaosOptions, traffic: Traffic): Promise<void> {
  if (plant === null) return;
  const headers = { "x-test-plant": plant };
  while (!traffic.isOver) {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    await Promise.allSettled(eu.server.urls.map((url) => fetch(`${url}/healthz`, { headers, signal })));
    await sleep(PLANT_AGAIN_MS);
  }
}

async function historyOf(
  world: World,
  orgs: readonly Org[],
  { proxied, holdsRefused, rounds }: { proxied: Org; holdsRefused: number; rounds: RoundFinding[] },
): Promise<History> {
  const proxy = await proxyHistory(world, proxied);
  const histories = [];
  for (const org of orgs) {
    const stored = await readBack(org, world.operator);
    histories.push(org.ledger.history(org.name, org.onlyGrows, stored));
  }
  return {
    orgs: histories,
    proxy,
    unpromised: world.unpromised,
    secrets: secretsIn(world),
    rounds,
    holdsRefused,
  };
}

function secretsIn({ eu, us, secrets, said }: World): string[] {
  const files = () =>
    [eu, us].flatMap(({ server }) => [...logFiles(server.folder.log), ...filesUnder(server.folder.state)]);
  const output = said.join("\n");
  const inOutput = [...secrets]
    .filter(([secret]) => output.includes(secret))
    .map(([, what]) => `${what} in the output`);
  return [...foundSecrets(secrets, files), ...inOutput];
}
