import type { UnsettledReason } from "../../contract/lists.ts";
import type { EdgeLeasesExchangeBody } from "../generated/types.ts";

type Fields = Pick<EdgeLeasesExchangeBody, "ungoverned" | "unsettled">;

/** The counts in one exchange, to be confirmed when it is answered. */
interface CountsReport {
  readonly fields: Fields;
  readonly all: ReadonlyMap<CallKind, number>;
}

type CallKind = "ungoverned" | UnsettledReason;

/** Calls that the service has not heard of: those that no limit has seen, and those whose runs were dropped. */
export class UnreportedCounts {
  /** All calls so far, and those that the service has confirmed. Exchanges in transit may report the same calls. */
  readonly #all = new Map<CallKind, number>();
  readonly #confirmed = new Map<CallKind, number>();

  get isEmpty(): boolean {
    return this.#unreported().length === 0;
  }

  add(kind: CallKind): void {
    this.#all.set(kind, (this.#all.get(kind) ?? 0) + 1);
  }

  /** The counts for one exchange. They stay until it is answered, so that each call is counted at least once. */
  report(): CountsReport {
    const { ungoverned, ...unsettled } = Object.fromEntries(this.#unreported()) as Partial<
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

  /** Marks the counts of an exchange as received by the service. */
  confirm({ all }: CountsReport): void {
    for (const [kind, count] of all)
      this.#confirmed.set(kind, Math.max(count, this.#confirmed.get(kind) ?? 0));
  }

  #unreported(): [kind: CallKind, count: number][] {
    const unreported = Array.from(this.#all, ([kind, count]): [CallKind, number] => [
      kind,
      count - (this.#confirmed.get(kind) ?? 0),
    ]);
    return unreported.filter(([, count]) => count > 0);
  }
}
