import type { UnsettledReason } from "../../contract/lists.ts";
import type { EdgeLeasesExchangeBody } from "../generated/types.ts";

type Fields = Pick<EdgeLeasesExchangeBody, "ungoverned" | "unsettled">;

/** What one exchange tells of, to be confirmed when it is answered. */
interface ToldCounts {
  readonly fields: Fields;
  readonly all: ReadonlyMap<CallKind, number>;
}

type CallKind = "ungoverned" | UnsettledReason;

/** Calls that the service has not heard of: those that no limit has seen, and those whose runs were dropped. */
export class UnreportedCounts {
  /** All that there ever were, and how many of them the service has heard of. Exchanges under way may tell of the same ones. */
  readonly #all = new Map<CallKind, number>();
  readonly #heard = new Map<CallKind, number>();

  get isEmpty(): boolean {
    return this.#unheard().length === 0;
  }

  add(kind: CallKind): void {
    this.#all.set(kind, (this.#all.get(kind) ?? 0) + 1);
  }

  /** What an exchange tells of. The counts stay until it is answered, so that they are counted at least once. */
  told(): ToldCounts {
    const { ungoverned, ...unsettled } = Object.fromEntries(this.#unheard()) as Partial<
      Record<CallKind, number>
    >;
    return {
      fields: {
        ...(ungoverned === undefined ? {} : { ungoverned }),
        ...(Object.keys(unsettled).length === 0 ? {} : { unsettled }),
      },
      all: new Map(this.#all),
    };
  }

  /** The service has heard of these. */
  confirm({ all }: ToldCounts): void {
    for (const [kind, count] of all) this.#heard.set(kind, Math.max(count, this.#heard.get(kind) ?? 0));
  }

  #unheard(): [kind: CallKind, count: number][] {
    const unheard = Array.from(this.#all, ([kind, count]): [CallKind, number] => [
      kind,
      count - (this.#heard.get(kind) ?? 0),
    ]);
    return unheard.filter(([, count]) => count > 0);
  }
}
