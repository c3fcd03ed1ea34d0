import { BoundedMap } from "../../domain/cache/bounded-map.ts";
import type { EdgeFallbacksFindBody, FallbackRule, LeaseReply } from "../generated/types.ts";

export type FallbackFacts = NonNullable<LeaseReply["fallbacks"]>;

interface KnownRules {
  readonly version: string;
  readonly askedAt: number;
  readonly rules: Promise<readonly FallbackRule[]>;
  isRefreshing: boolean;
}

type FindRules = (question: EdgeFallbacksFindBody) => Promise<readonly FallbackRule[]>;

/** The fields of a call by which rules could tell calls apart. */
type CallFields = {
  readonly [Name in keyof EdgeFallbacksFindBody]?: EdgeFallbacksFindBody[Name] | undefined;
};

/** Older ones are asked for again, while calls go on with them: a budget may have reached a share. */
const FRESH_MS = 5000;
/** Older ones are not used. */
const KEPT_MS = 60_000;
const MOST_KINDS = 2000;
const RULES_BYTES = 1000;

/** The fallbacks of calls, as far as they were asked for. Calls that no rule could tell apart share an answer. */
export class FallbackRules {
  readonly #ask: FindRules;
  readonly #now: () => number;
  readonly #known = new BoundedMap<string, KnownRules>(MOST_KINDS);

  constructor(ask: FindRules, now: () => number) {
    this.#ask = ask;
    this.#now = now;
  }

  get bytes(): number {
    return this.#known.size * RULES_BYTES;
  }

  /** Rules of an earlier version are not used. Rejects if the service cannot be asked, or refuses. */
  async get(facts: FallbackFacts, named: CallFields): Promise<readonly FallbackRule[]> {
    const question = toCallFacts(facts, named);
    if (question === null) return [];
    const kind = JSON.stringify(question);
    const known = this.#known.get(kind);
    const now = this.#now();
    if (known === undefined || known.version !== facts.version || now >= known.askedAt + KEPT_MS)
      return this.#find(kind, question, facts.version);
    if (facts.shares && now >= known.askedAt + FRESH_MS && !known.isRefreshing)
      void this.#refresh(kind, question, known);
    return known.rules;
  }

  #find(kind: string, question: EdgeFallbacksFindBody, version: string): Promise<readonly FallbackRule[]> {
    const rules = this.#ask(question);
    const asked = { version, askedAt: this.#now(), rules, isRefreshing: false };
    this.#known.set(kind, asked);
    rules.catch(() => {
      if (this.#known.get(kind) === asked) this.#known.delete(kind);
    });
    return rules;
  }

  /** A service that is away changes nothing yet. */
  async #refresh(kind: string, question: EdgeFallbacksFindBody, known: KnownRules): Promise<void> {
    known.isRefreshing = true;
    const askedAt = this.#now();
    try {
      const rules = await this.#ask(question);
      this.#known.set(kind, { ...known, askedAt, rules: Promise.resolve(rules), isRefreshing: false });
    } catch {
      known.isRefreshing = false;
    }
  }
}

/** Only what some rule looks at. Null if the call names no model. */
function toCallFacts({ by }: FallbackFacts, named: CallFields): EdgeFallbacksFindBody | null {
  const { model } = named;
  if (model === undefined) return null;
  const parts = by.flatMap((name) => {
    const value = name === "key_id" ? undefined : named[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { model, ...Object.fromEntries(parts) };
}
