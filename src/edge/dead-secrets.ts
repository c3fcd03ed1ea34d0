const MEMORY_MS = 60_000;
const MAX_SECRETS = 10_000;

/**
 * Secrets that were given out here once, as their check shows, and that open nothing now. Whoever sends one again and
 * again is told so from memory: an object is asked about each once a minute. A secret never comes back to life.
 */
export class DeadSecrets {
  readonly #until = new Map<string, number>();

  has(secret: string, now: number): boolean {
    return (this.#until.get(secret) ?? 0) > now;
  }

  add(secret: string, now: number): void {
    this.#until.delete(secret);
    this.#until.set(secret, now + MEMORY_MS);
    if (this.#until.size <= MAX_SECRETS) return;
    const oldest = this.#until.keys().next();
    if (oldest.done !== true) this.#until.delete(oldest.value);
  }
}
