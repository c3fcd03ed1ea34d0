import { BoundedMap } from "../../domain/cache/bounded-map.ts";
import { MINUTE_MS } from "../../contract/durations.ts";

const MEMORY_MS = MINUTE_MS;
const MAX_SECRETS = 10_000;

/**
 * Genuine secrets that no longer work. Repeated use is answered from memory: the object is asked about each secret once
 * a minute. A secret never becomes valid again.
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
