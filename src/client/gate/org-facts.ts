import type { FallbackFacts } from "./fallback-rules.ts";
import type { LeaseReply } from "../generated/types.ts";

/** The facts about the key's organization that the service sends with each exchange. */
export interface OrgFacts {
  /** The checks that decisions get by default. */
  readonly checks: LeaseReply["checks"];
  /** The fields of calls that some limit counts by, such as `user_id`. */
  readonly countedBy: ReadonlySet<string>;
  /** True if content safety reads the input of calls. */
  readonly scansInput: boolean;
  /** True if runs are sent on as spans, below the span that each names. */
  readonly sendsSpans: boolean;
  /** The facts that decide which fallbacks apply to a call. Null if there are none. */
  readonly fallbacks: FallbackFacts | null;
}

/** How long to wait for an exchange that another call began. In a Worker it ends with the request that began it. */
const SHARED_MS = 1000;

/** The latest of what the service said. */
export class KnownFacts {
  #last: OrgFacts | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<OrgFacts> | null = null;

  get last(): OrgFacts | null {
    return this.#last;
  }

  /** An answer that was long on its way does not replace the answer to a later exchange. */
  set(facts: OrgFacts, askedAt: number): void {
    if (askedAt < this.#askedAt) return;
    this.#last = facts;
    this.#askedAt = askedAt;
  }

  /** Asks once for all callers that wait at the same time. */
  async ask(exchange: () => Promise<OrgFacts>): Promise<OrgFacts> {
    const shared = this.#asking === null ? null : await within(this.#asking, SHARED_MS);
    if (shared !== null) return shared;
    const asking = exchange().finally(() => {
      if (this.#asking === asking) this.#asking = null;
    });
    this.#asking = asking;
    return asking;
  }
}

/** Null if it takes longer. */
async function within<T>(work: Promise<T>, ms: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
