import { onTestFinished, vi } from "vitest";
import { LEASE } from "../../src/gate/lease/protocol.ts";
import { GIVE_UP_MS } from "../../src/gate/lease/purse.ts";

/** Gates wait for these times. Objects wait for others, and an object cannot be woken from outside. */
const OF_GATES: readonly (number | undefined)[] = [LEASE.syncMs, GIVE_UP_MS];

/**
 * A clock of its own for the Worker, its objects and the gates in this isolate, until the end of the test. It moves only when a
 * test says so: with the calls that are made, and not with the load of the machine.
 */
export class VirtualTime {
  #now = Date.now();
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  constructor() {
    const apartMs = performance.now() - this.#now;
    const later = (run: () => void, ms: number) => void this.#timers.push({ at: this.#now + ms, run });
    vi.spyOn(Date, "now").mockImplementation(() => Math.floor(this.#now));
    vi.spyOn(performance, "now").mockImplementation(() => apartMs + this.#now);
    const wait = scheduler.wait.bind(scheduler);
    vi.spyOn(scheduler, "wait").mockImplementation((ms, options) =>
      OF_GATES.includes(ms) ? new Promise((resolve) => later(resolve, ms)) : wait(ms, options),
    );
    const { setTimeout } = globalThis;
    vi.stubGlobal("setTimeout", (run: () => void, ms?: number) => {
      if (ms === undefined || !OF_GATES.includes(ms)) return setTimeout(run, ms);
      later(run, ms);
      return {};
    });
    onTestFinished(() => {
      vi.restoreAllMocks();
      vi.unstubAllGlobals();
    });
  }

  advance(ms: number): void {
    this.#now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    if (due.length === 0) return;
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { run } of due.toSorted((one, other) => one.at - other.at)) run();
  }
}
