import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** What the work of the probe takes where nothing else is done. Beside a run on two cores it takes about twice as long. */
const USUAL_WORK_MS = 20;
const MOST_SLOWNESS = 10;
/** A single measurement may have been interrupted, or not. */
const MEASUREMENTS = 5;

/**
 * How slow the machine is, measured all the time by work that the service has no part in. Everything that is waited for gets as much
 * longer, so that a bound says something of the service and not of the machine.
 */
export class Pace {
  readonly #lastMs: number[] = [];
  readonly #clock: () => number;
  #probe: ChildProcess | null = null;
  #slowness = 1;
  #seconds = 0;
  #countedAt: number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#countedAt = clock();
  }

  static async measured(): Promise<Pace> {
    const pace = new Pace();
    const probe = spawn(process.execPath, [join(import.meta.dirname, "pace-probe.ts")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    probe.unref();
    process.once("exit", () => probe.kill());
    const lines = createInterface(probe.stdout);
    lines.on("line", (line) => pace.note(Number(line)));
    pace.#probe = probe;
    await once(lines, "line");
    return pace;
  }

  note(workMs: number): void {
    this.#count();
    this.#lastMs.push(workMs);
    if (this.#lastMs.length > MEASUREMENTS) this.#lastMs.shift();
    const median =
      this.#lastMs.toSorted((one, other) => one - other)[Math.floor(this.#lastMs.length / 2)] ?? 0;
    this.#slowness = Math.min(MOST_SLOWNESS, Math.max(1, median / USUAL_WORK_MS));
  }

  /** How many times as long as usual things take now. */
  get slowness(): number {
    return this.#slowness;
  }

  /** Seconds since it began. One counts for less while the machine is slow. */
  get seconds(): number {
    this.#count();
    return this.#seconds;
  }

  /** So many usual milliseconds, as long as they are now. Timers take whole ones only. */
  ms(usualMs: number): number {
    return Math.ceil(usualMs * this.#slowness);
  }

  /** Says whether so many usual seconds have passed from now on. */
  after(seconds: number): () => boolean {
    const until = this.seconds + seconds;
    return () => this.seconds >= until;
  }

  stop(): void {
    this.#probe?.kill();
  }

  #count(): void {
    const now = this.#clock();
    this.#seconds += (now - this.#countedAt) / 1000 / this.#slowness;
    this.#countedAt = now;
  }
}

/** The longest that so many usual seconds can be. */
export function longestSeconds(usual: number): number {
  return usual * MOST_SLOWNESS;
}
