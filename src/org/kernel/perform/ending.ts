import type { EventKind } from "../../../contract/event-kinds.ts";
import type { Counts, View } from "../door.ts";
import { appendEvents } from "../events/append.ts";

/** The work that is left after a rule, whether it refused or not. */
export class Ending {
  readonly #effects: (() => void)[] = [];
  readonly #events = new Map<EventKind, object[]>();
  #counts: Counts[number][] = [];

  afterRefusal(effect: () => void): void {
    this.#effects.push(effect);
  }

  tally(counts: Counts): void {
    this.#counts.push(...counts);
  }

  emit(kind: EventKind, data: object): void {
    const there = this.#events.get(kind);
    if (there === undefined) this.#events.set(kind, [data]);
    else there.push(data);
  }

  /** After a refusal, when everything that the rule did is rolled back. */
  end(view: View, isRefused: boolean): void {
    if (isRefused) {
      this.#counts = [];
      for (const effect of this.#effects) effect();
    }
    for (const [kind, all] of this.#events) appendEvents(view, kind, all);
    if (this.#counts.length > 0) view.tally(this.#counts);
  }
}
