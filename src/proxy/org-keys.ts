import { refusalIn, Refused, Unreachable } from "../client/errors.ts";
import type { GateBinding } from "../client/gate/binding.ts";
import { BoundedMap } from "../domain/cache/bounded-map.ts";

/** The header by which a caller chooses one of its org's keys of a provider: `openai/eu`. */
export const PROVIDER_KEY_HEADER = "x-sluice-provider-key";

/** A key of a provider that an org has set for itself. */
export interface OrgKey {
  readonly secret: string;
  /** Null: where the provider is. */
  readonly base_url: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Names, or beginnings of names with a `*`. Null: all. */
  readonly models: readonly string[] | null;
}

interface CachedKey {
  readonly askedAt: number;
  readonly key: Promise<OrgKey | null>;
  isRefreshing: boolean;
}

/** One that is older is asked for again, while calls go on with it. */
const FRESH_MS = 5000;
/** One that is older is not used. */
const KEPT_MS = 60_000;
const MOST_NAMES = 50;
const KEY_BYTES = 2000;

/** The keys of providers of the org that a Sluice key belongs to, as far as the proxy has asked for them. */
export class OrgKeys {
  readonly #binding: GateBinding | undefined;
  readonly #sluiceKey: string;
  readonly #now: () => number;
  readonly #known = new BoundedMap<string, CachedKey>(MOST_NAMES);

  /** Without a binding nobody hands keys over, and there are none. */
  constructor(sluiceKey: string, binding: GateBinding | undefined, now: () => number = Date.now) {
    this.#binding = binding;
    this.#sluiceKey = sluiceKey;
    this.#now = now;
  }

  /** About how much memory they take. A key has at most some headers of its own. */
  get bytes(): number {
    return this.#known.size * KEY_BYTES;
  }

  /** Returns whether the service is asked for keys. */
  get areServed(): boolean {
    return this.#binding?.providerKey !== undefined;
  }

  /** Null: there is none of that name. Rejects if the service refuses the caller, or cannot be asked. */
  async get(name: string): Promise<OrgKey | null> {
    if (this.#binding?.providerKey === undefined) return null;
    const now = this.#now();
    const known = this.#known.get(name);
    if (known === undefined || now >= known.askedAt + KEPT_MS) return this.#ask(name, now);
    if (now >= known.askedAt + FRESH_MS && !known.isRefreshing) void this.#refresh(name, known, now);
    return known.key;
  }

  #ask(name: string, askedAt: number): Promise<OrgKey | null> {
    const key = this.#opened(name);
    const asked = { askedAt, key, isRefreshing: false };
    this.#known.set(name, asked);
    key.catch(() => {
      if (this.#known.get(name) === asked) this.#known.delete(name);
    });
    return key;
  }

  /** A key that the service no longer hands over is not used again. A service that is away changes nothing yet. */
  async #refresh(name: string, known: CachedKey, askedAt: number): Promise<void> {
    known.isRefreshing = true;
    try {
      const key = await this.#opened(name);
      this.#known.set(name, { askedAt, key: Promise.resolve(key), isRefreshing: false });
    } catch (error) {
      known.isRefreshing = false;
      if (error instanceof Refused) this.#known.delete(name);
    }
  }

  async #opened(name: string): Promise<OrgKey | null> {
    let answer;
    try {
      answer = await this.#binding?.providerKey?.(this.#sluiceKey, name);
    } catch (cause) {
      throw new Unreachable("the service could not be asked for a key of the provider", { cause });
    }
    if (answer === undefined || answer.status === 404) return null;
    if (answer.status === 200) return JSON.parse(answer.text) as OrgKey;
    const response = new Response(answer.text, answer);
    throw refusalIn(answer.text, response) ?? new Unreachable("not an answer of the service", response);
  }
}
