import { BoundedMap } from "../domain/bounded-map.ts";
import { MINUTE_MS } from "../contract/durations.ts";

const MEMORY_MS = MINUTE_MS;
const MAX_SECRETS = 10_000;

/**
 * Secrets that were given out here once, as their check shows, and that open nothing now. Whoever sends one again and
 * again is told so from memory: an object is asked about each once a minute. A secret never comes back to life.
 */
export class DeadSecrets {
  readonly #until = new BoundedMap<string, number>(MAX_SECRETS);

  has(secret: string, now: number): boolean {
    return (this.#until.get(secret) ?? 0) > now;
  }

  add(secret: string, now: number): void {
    this.#until.set(secret, now + MEMORY_MS);
  }
}
