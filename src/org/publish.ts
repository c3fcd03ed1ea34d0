import { PLATFORM_ORG_ID } from "../contract/platform-org.ts";
import { tellOverview } from "../platform/overview.ts";
import { measure } from "./gauges/measure.ts";
import { gaugeTelling } from "./gauges/tell.ts";
import { Teller } from "./gauges/teller.ts";
import type { OrgEnv, View } from "./kernel/door.ts";
import { overviewOf } from "./overview/measure.ts";

interface PublishContext {
  readonly env: OrgEnv;
  readonly orgId: string;
  readonly clock: () => { readonly org: number; readonly real: number };
  readonly view: (orgNow: number) => View;
  /** True if the org is here. */
  readonly isOpened: () => boolean;
}

/** Tells the platform of an org: its gauges and its line of the overview. */
export class Publisher {
  readonly #standing: PublishContext;
  readonly #tellers: readonly Teller[];
  /** When a key of the org was last used, as far as this life of the object knows. */
  #lastCallAt: number | null = null;

  constructor(ctx: Pick<DurableObjectState, "waitUntil">, standing: PublishContext) {
    this.#standing = standing;
    const { env, orgId } = standing;
    const gauges = gaugeTelling(env.COUNTERS, orgId, () => {
      const { view, offsetMs } = this.#now();
      return measure(view, offsetMs);
    });
    const overview = async () => {
      if (orgId === PLATFORM_ORG_ID) return;
      const { view, offsetMs } = this.#now();
      await tellOverview(env.DB, overviewOf(view, this.#lastCallAt, offsetMs));
    };
    const ifHere = (tell: () => Promise<void>) => async () => {
      if (standing.isOpened()) await tell();
    };
    this.#tellers = [gauges, overview].map((tell) => new Teller(ctx, ifHere(tell)));
  }

  called(atMs: number): void {
    this.#lastCallAt = atMs;
    this.note();
  }

  /** Something happened that others should hear of. */
  note(): void {
    for (const teller of this.#tellers) teller.note();
  }

  #now(): { view: View; offsetMs: number } {
    const { org, real } = this.#standing.clock();
    return { view: this.#standing.view(org), offsetMs: org - real };
  }
}
