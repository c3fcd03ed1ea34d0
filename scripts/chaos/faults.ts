import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { GateProcesses } from "./gate-processes.ts";
import { inTime } from "./in-time.ts";
import { pick, type Random } from "./random.ts";
import { endObject, type Org, type Region, type World } from "./world.ts";

/** What is done to the parts while callers are at work. */

const REMARKS_SHOWN = 20;
const CLOCK_PATIENCE_MS = 10_000;
const EVICTION_MS = 1000;
/** All together. */
const MOST_ADVANCE_SECONDS = 1200;
const MOST_AHEAD_MS = 10_000;

interface Struck {
  readonly world: World;
  readonly gates: GateProcesses;
  /** Objects of all are evicted. Clocks of those whose allows are compared with a limit at each moment are left alone. */
  readonly orgs: readonly Org[];
  readonly random: Random;
  /** A region that was killed serves again by then. */
  readonly restartSeconds: number;
}

export class Faults {
  readonly counts = new Map<string, number>();
  readonly #struck: Struck;
  #advancedSeconds = 0;
  /** How far clocks of isolates are ahead, by address. One that starts anew has the machine's. */
  readonly #aheadMs = new Map<string, number>();
  /** Faults that last heal by themselves. */
  readonly #healing = new Set<Promise<void>>();

  constructor(struck: Struck) {
    this.#struck = struck;
  }

  get kills(): number {
    return [...this.counts].reduce(
      (total, [name, count]) => total + (name.startsWith("kill") ? count : 0),
      0,
    );
  }

  /** One fault, chosen by chance. Resolves when the next may come, which a lasting one need not have ended for. */
  async strike(): Promise<void> {
    const { random } = this.#struck;
    const fault = pick(random, [
      () => this.#killRegion(),
      () => this.#killRegion(),
      () => this.#killRegion(),
      () => this.#killGate(),
      () => this.#killGate(),
      () => this.#killGate(),
      () => this.#stop(),
      () => this.#breakLink(),
      () => this.#slowLink(),
      () => this.#fillDisk(),
      () => this.#evict(),
      () => this.#moveClock(),
    ]);
    await fault();
  }

  /** Until all is healed. */
  async end(): Promise<void> {
    await Promise.all(this.#healing);
  }

  #count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  #region(): Region {
    const { world, random } = this.#struck;
    return random() < 0.6 ? world.eu : world.us;
  }

  #lasting(leastMs: number, mostMs: number, heal: () => void): void {
    const healing = sleep(leastMs + this.#struck.random() * (mostMs - leastMs)).then(heal);
    this.#healing.add(healing);
    void healing.finally(() => this.#healing.delete(healing));
  }

  async #killRegion(): Promise<void> {
    // A runtime that cannot write does not start, and after a few attempts its server gives up.
    await this.end();
    const { server, name } = this.#region();
    this.#count(`kill: the runtime of ${name}`);
    const { world, restartSeconds } = this.#struck;
    const remarks = () => world.said.filter((line) => !line.startsWith("{")).slice(-REMARKS_SHOWN);
    const what = () => `region ${name} to serve again, which said\n${remarks().join("\n")}\n`;
    await inTime({ pace: world.pace, seconds: restartSeconds, what }, server.crash());
  }

  async #killGate(): Promise<void> {
    const child = this.#struck.gates.child(this.#struck.random);
    if (child === undefined) return;
    this.#count("kill: a process with gates");
    await this.#struck.gates.kill(child);
  }

  async #stop(): Promise<void> {
    const { gates, random } = this.#struck;
    const child: ChildProcess | undefined = random() < 0.5 ? gates.child(random) : undefined;
    const pid = child?.pid ?? this.#region().pid();
    this.#count("stop a process, and let it go on");
    process.kill(pid, "SIGSTOP");
    await sleep(100 + random() * 2500);
    process.kill(pid, "SIGCONT");
  }

  async #breakLink(): Promise<void> {
    const link = pick(this.#struck.random, this.#struck.world.links);
    this.#count("cut a connection");
    link.cut();
    this.#lasting(100, 2000, () => link.heal());
  }

  async #slowLink(): Promise<void> {
    const link = pick(this.#struck.random, this.#struck.world.links);
    this.#count("slow a connection down");
    link.delay(50 + this.#struck.random() * 500);
    this.#lasting(500, 3000, () => link.heal());
  }

  async #fillDisk(): Promise<void> {
    const region = this.#region();
    const { disk } = region;
    if (disk.how === null) return;
    this.#count("fill a disk");
    const writer = region.pid();
    disk.fill(writer);
    this.#lasting(200, 1500, () => disk.empty(writer));
  }

  async #evict(): Promise<void> {
    const { world, orgs, random } = this.#struck;
    const org = orgs[Math.floor(random() * orgs.length)];
    if (org === undefined) return;
    if (random() < 0.5) {
      this.#count("end an object in the middle of its work");
      await endObject(world, org);
      return;
    }
    this.#count("evict an object");
    // It may be of another region, or asleep; and it first ends what it has begun.
    const evicted = world.eu.server.evict(org.id).catch(() => undefined);
    await Promise.race([evicted, sleep(EVICTION_MS)]);
  }

  async #moveClock(): Promise<void> {
    const { world, gates, orgs, random } = this.#struck;
    const kind = Math.floor(random() * 3);
    if (kind === 0) {
      this.#count("move the clock of a process");
      gates.child(random)?.stdin?.write(`${Math.round((random() - 0.5) * 7_200_000)}\n`);
      return;
    }
    if (kind === 1) {
      const [, ...others] = world.eu.server.urls;
      const url = others[Math.floor(random() * others.length)] ?? world.eu.server.urls[0];
      this.#count("move the clock of an isolate");
      const before = this.#aheadMs.get(url) ?? 0;
      const aheadMs = before + Math.round(random() * (MOST_AHEAD_MS - before));
      this.#aheadMs.set(url, aheadMs);
      const headers = { "x-test-apart-ms": String(aheadMs) };
      const signal = AbortSignal.timeout(CLOCK_PATIENCE_MS);
      await fetch(`${url}/healthz`, { headers, signal }).catch(() => undefined);
      return;
    }
    const seconds = 1 + Math.floor(random() * 20);
    const movable = orgs.filter(({ onlyGrows }) => !onlyGrows);
    const org = movable[Math.floor(random() * movable.length)];
    if (org === undefined || this.#advancedSeconds + seconds > MOST_ADVANCE_SECONDS) return;
    this.#advancedSeconds += seconds;
    this.#count("move the clock of a test org");
    await world.operator.try("POST", `/v1/admin/orgs/${org.id}/test-clock`, { advance_seconds: seconds });
  }
}
