import { setTimeout as sleep } from "node:timers/promises";
import { logFiles } from "../logfile.ts";
import { Faults } from "./faults.ts";
import { filesUnder, foundSecrets } from "./found-secrets.ts";
import { GateProcesses } from "./gate-processes.ts";
import { Books } from "./books.ts";
import { crowd, crowdAlone } from "./crowd.ts";
import { unanswered } from "./caller.ts";
import { type Findings, roundSetting, roundsUntilOver } from "./findings.ts";
import type { History } from "./history.ts";
import { inTime } from "./in-time.ts";
import type { ChaosOptions } from "./options.ts";
import { Moves } from "./moves.ts";
import { Outage } from "./outage.ts";
import type { Pace } from "./pace.ts";
import { Packs } from "./packs.ts";
import { Past } from "./past.ts";
import type { Progress } from "./progress.ts";
import { Providers } from "./providers.ts";
import { proxyHistory, useProxy } from "./proxy-traffic.ts";
import { randomFrom } from "./random.ts";
import { readBack } from "./read-back.ts";
import { Restarts } from "./restarts.ts";
import { type Shares, sharesOf } from "./shares.ts";
import { Takeovers } from "./takeovers.ts";
import { call, changeLimits, type Traffic, useUp } from "./traffic.ts";
import { type Org, openOrg, openWorld, type World } from "./world.ts";

const ROOMY_NANOS = 1_000_000_000;
const TIGHT_NANOS = 3000;
/** Between two faults callers get this many answers, or this long. */
const ANSWERS_BETWEEN = 20;
const PATIENCE_MS = 3000;
const KILLS_TOLD = 10;
const CLOSING_MS = 15_000;
const MOST_NAMED = 3;
/** On a busy machine, the first rounds are not over before the first fault. */
const FIRST_PATIENCE_MS = 25_000;

/** The parts of a run, each with a bound that ends in what was waited for. */
class Parts {
  readonly #pace: Pace;
  readonly #seconds: Map<string, number>;

  constructor(pace: Pace, { seconds }: Progress) {
    this.#pace = pace;
    this.#seconds = seconds;
  }

  async take<T>(name: string, seconds: number, work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    const what = () => [`the part "${name}"`, ...unanswered().slice(0, MOST_NAMED)].join(", ");
    try {
      return await inTime({ pace: this.#pace, seconds, what }, work());
    } finally {
      this.#seconds.set(name, Math.round((performance.now() - begun) / 1000));
    }
  }
}

/**
 * Everything at once, until the time is over and there were enough kills, or somebody ends it; then all that callers and service
 * say of it.
 */
export async function runChaos(options: ChaosOptions, given: Given): Promise<History> {
  const { pace, progress } = given;
  const entry = options.plant === null ? "test/support/odd-worker.ts" : "scripts/chaos/faulty-worker.ts";
  const shares = sharesOf(options.seconds);
  const parts = new Parts(pace, progress);
  const opened = await parts.take("start", shares.start, async () => {
    const world = await openWorld(entry, pace);
    progress.world = world;
    return { world, orgs: await openOrgs(world) };
  });
  try {
    return await chaosIn(opened, { ...options, ...given, parts, shares });
  } finally {
    await Promise.race([opened.world.close(), sleep(CLOSING_MS)]);
  }
}

interface Opened {
  readonly world: World;
  readonly orgs: Awaited<ReturnType<typeof openOrgs>>;
}

interface Given {
  readonly ending: AbortSignal;
  readonly pace: Pace;
  readonly progress: Progress;
}

interface Course extends ChaosOptions, Given {
  readonly parts: Parts;
  readonly shares: Shares;
}

async function chaosIn({ world, orgs: all }: Opened, options: Course): Promise<History> {
  const { parts, shares, pace, progress } = options;
  const { findings } = progress;
  const random = randomFrom(options.seed);
  const { home, away, tight, ...others } = all;
  const orgs = [home, away, tight];
  const { secrets, unpromised } = world;
  const traffic: Traffic = { random, secrets, unpromised, answers: 0, isOver: false };
  progress.traffic = traffic;
  const rounds = roundsOf(others, { world, findings, traffic });
  await parts.take("first rounds", shares.first, async () => {
    await Promise.race([rounds.first, sleep(pace.ms(FIRST_PATIENCE_MS))]);
    await crowdAlone({ world, org: others.crowded, findings });
  });
  rounds.goOn();
  const gates = new GateProcesses(world, [home, tight], traffic);
  const work = Promise.all([
    ...["a", "b"].map((name) => call(home, name, traffic)),
    ...["c", "d"].map((name) => call(away, name, traffic)),
    ...["e", "f"].map((name) => useUp(tight, name, traffic)),
    changeLimits(tight, traffic),
    useProxy(world, others.proxied, traffic),
    crowd({ world, org: others.crowded, traffic, findings }),
    rounds.all,
    keepPlanted(world, options, traffic),
  ]);
  work.catch(() => (traffic.isOver = true));
  const faults = new Faults({ world, gates, orgs, random, restartSeconds: shares.lastFault });
  progress.faults = faults;
  const most = shares.faults + shares.lastFault;
  await parts.take("faults", most, () => strikeUntilOver(faults, traffic, options));
  traffic.isOver = true;
  const holdsRefused = await parts.take("ending", shares.ending, async () => {
    await faults.end();
    await work;
    return gates.end();
  });
  return parts.take("reading back", shares.reading, () =>
    historyOf(world, orgs, { proxied: others.proxied, holdsRefused, findings }),
  );
}

type RoundsOrg = "old" | "booked" | "cutOff" | "restarted" | "packed" | "takenOver" | "fallenBack" | "moved";

/** The rounds of orgs whose callers know what must be so. Each pauses after its first, until all of them go on. */
function roundsOf(
  orgs: Record<RoundsOrg, Org>,
  given: { readonly world: World; readonly findings: Findings; readonly traffic: Traffic },
): { readonly first: Promise<unknown>; readonly all: Promise<unknown>; goOn(): void } {
  const setting = (name: RoundsOrg) => roundSetting({ ...given, org: orgs[name] });
  const rounds = [
    new Past(setting("old")),
    new Books(setting("booked")),
    new Outage(setting("cutOff")),
    new Restarts(setting("restarted")),
    new Packs(setting("packed")),
    new Takeovers(setting("takenOver")),
    new Providers(setting("fallenBack"), given.world.flaky),
    new Moves(setting("moved")),
  ];
  const going = Promise.withResolvers<void>();
  const begun = rounds.map((one) => {
    const first = Promise.withResolvers<void>();
    const pause = () => {
      first.resolve();
      return going.promise;
    };
    const all = roundsUntilOver(one, given, pause);
    return { first: Promise.race([first.promise, all]), all };
  });
  const all = Promise.all(begun.map((one) => one.all));
  all.catch(() => (given.traffic.isOver = true));
  return { first: Promise.all(begun.map((one) => one.first)), all, goOn: going.resolve };
}

async function openOrgs(world: World) {
  const open = (name: string, more: object = {}) =>
    openOrg(world, { name, home: "eu", limitNanos: ROOMY_NANOS, ...more });
  const opened = {
    home: open("at home in eu"),
    away: open("at home in us", { home: "us" }),
    tight: open("short of money", { limitNanos: TIGHT_NANOS, onlyGrows: true }),
    proxied: open("behind the proxy"),
    crowded: open("crowded"),
    old: open("of the past"),
    booked: open("with books"),
    cutOff: open("with an outage"),
    restarted: open("of restarts"),
    packed: open("of packs"),
    takenOver: open("of takeovers"),
    fallenBack: open("of providers"),
    moved: open("of moves"),
  };
  const names = Object.keys(opened) as (keyof typeof opened)[];
  const orgs = await Promise.all(names.map(async (name) => [name, await opened[name]] as const));
  return Object.fromEntries(orgs) as Record<keyof typeof opened, Org>;
}

async function strikeUntilOver(
  faults: Faults,
  traffic: Traffic,
  { seconds, kills, ending, shares, pace }: Course,
): Promise<void> {
  const until = performance.now() + seconds * 1000;
  const isLast = pace.after(shares.faults);
  let told = 0;
  const isOver = () => traffic.isOver || ending.aborted || isLast();
  while (!isOver() && (performance.now() < until || faults.kills < kills)) {
    await someAnswers(traffic);
    await sleep(traffic.random() * 200);
    await faults.strike();
    if (faults.kills >= told + KILLS_TOLD) {
      told = faults.kills;
      console.error(`${told} kills, ${traffic.answers} answers`);
    }
  }
}

async function someAnswers(traffic: Traffic): Promise<void> {
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
  { proxied, holdsRefused, findings }: { proxied: Org; holdsRefused: number; findings: Findings },
): Promise<History> {
  const proxy = await proxyHistory(world, proxied);
  const histories = [];
  for (const org of orgs) {
    const stored = await readBack(org, world);
    histories.push(org.ledger.history(org.name, org.onlyGrows, stored));
  }
  return {
    orgs: histories,
    proxy,
    unpromised: world.unpromised,
    secrets: secretsIn(world),
    rounds: findings.all,
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
