import type { Trait } from "../../contract/dimensions.ts";
import { type Match, matches, prefixOf } from "./match.ts";
import type { Meter } from "./meter.ts";
import { type CallNames, traitIn } from "./traits.ts";
import { cached } from "../cache/cached.ts";

/**
 * The meters that say by themselves which calls they apply to, by one value that a call must have. So a call is compared with
 * few of them.
 */
export class MatchIndex {
  readonly meters: readonly Meter[];
  readonly #byValue = new Map<Trait, Map<string, Meter[]>>();
  /** The meters that no single value tells. */
  readonly #others: Meter[] = [];

  constructor(meters: readonly Meter[]) {
    this.meters = meters;
    for (const meter of meters) this.#add(meter);
  }

  get matches(): readonly Match[] {
    return this.meters.flatMap(({ match }) => match ?? []);
  }

  matching(names: CallNames): Meter[] {
    const candidates = [...this.#others];
    for (const [trait, byValue] of this.#byValue) {
      const value = traitIn(names, trait);
      if (value !== null) candidates.push(...(byValue.get(value) ?? []));
    }
    return candidates.filter(({ match }) => match !== undefined && matches(match, names));
  }

  #add(meter: Meter): void {
    const exact = (meter.match?.parts ?? []).filter(({ trait, values }) =>
      values.every((value) => prefixOf(trait, value) === null),
    );
    const [fewest] = exact.sort((one, other) => one.values.length - other.values.length);
    if (fewest === undefined) {
      this.#others.push(meter);
      return;
    }
    const byValue = cached(this.#byValue, fewest.trait, () => new Map<string, Meter[]>());
    for (const value of new Set(fewest.values)) byValue.set(value, [...(byValue.get(value) ?? []), meter]);
  }
}
