import type { UnsettledReason } from "../../contract/lists.ts";
import type { EdgeLeasesExchangeBody } from "../generated/types.ts";

type Fields = Pick<EdgeLeasesExchangeBody, "ungoverned" | "unsettled">;

/** Calls that the service has not heard of: those that no limit has seen, and those whose runs were dropped. */
export class UnreportedCounts {
  #ungoverned = 0;
  readonly #unsettled = new Map<UnsettledReason, number>();

  get isEmpty(): boolean {
    return this.#ungoverned === 0 && this.#unsettled.size === 0;
  }

  addUngoverned(): void {
    this.#ungoverned += 1;
  }

  addUnsettled(reason: UnsettledReason): void {
    this.#unsettled.set(reason, (this.#unsettled.get(reason) ?? 0) + 1);
  }

  /** As an exchange tells of them. They stay until it is answered, so that they are counted at least once. */
  toFields(): Fields {
    return {
      ...(this.#ungoverned === 0 ? {} : { ungoverned: this.#ungoverned }),
      ...(this.#unsettled.size === 0 ? {} : { unsettled: Object.fromEntries(this.#unsettled) }),
    };
  }

  /** The service has heard of these. */
  confirm({ ungoverned = 0, unsettled = {} }: Fields): void {
    this.#ungoverned -= ungoverned;
    for (const [reason, before] of this.#unsettled) {
      const left = before - (unsettled[reason] ?? 0);
      if (left === 0) this.#unsettled.delete(reason);
      else this.#unsettled.set(reason, left);
    }
  }
}
