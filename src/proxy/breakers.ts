import { BoundedMap } from "../domain/cache/bounded-map.ts";

interface Host {
  /** How often it has failed since it last answered. */
  failures: number;
  pausedUntil: number;
}

const FAILURES = 5;
const PAUSE_MS = 5000;
const MOST_HOSTS = 500;

/**
 * Hosts that fail again and again are left alone for a moment, where there is another way to make a call. Where there is none,
 * calls go on: a breaker refuses nothing by itself.
 */
export class Breakers {
  readonly #hosts = new BoundedMap<string, Host>(MOST_HOSTS);
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  isPaused(host: string): boolean {
    return this.#now() < (this.#hosts.get(host)?.pausedUntil ?? 0);
  }

  answered(host: string): void {
    this.#hosts.delete(host);
  }

  failed(host: string): void {
    const { failures } = this.#hosts.get(host) ?? { failures: 0 };
    const isOver = failures + 1 >= FAILURES;
    this.#hosts.set(host, { failures: failures + 1, pausedUntil: isOver ? this.#now() + PAUSE_MS : 0 });
  }
}
