import type { EventKind } from "../../../contract/event-kinds.ts";
import type { View } from "../door.ts";
import { appendEvents } from "../events/append.ts";

/** What is left to do after a rule, whether it refused or not. */
export class Ending {
  readonly #effects: (() => void)[] = [];
  readonly #events = new Map<EventKind, object[]>();

  afterRefusal(effect: () => void): void {
    this.#effects.push(effect);
  }

  emit(kind: EventKind, data: object): void {
    const there = this.#events.get(kind);
    if (there === undefined) this.#events.set(kind, [data]);
    else there.push(data);
  }

  /** After a refusal, when everything that the rule did is rolled back. */
  end(view: View, isRefused: boolean): void {
    if (isRefused) for (const effect of this.#effects) effect();
    for (const [kind, all] of this.#events) appendEvents(view, kind, all);
  }
}
