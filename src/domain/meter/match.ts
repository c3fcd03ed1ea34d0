import { type RateTrait, RATED, TAG_PREFIX, type Trait } from "../../contract/dimensions.ts";
import { type CallNames, traitIn } from "./traits.ts";

/** Selects the calls that a limit applies to, and those of them that it counts together. */
export interface Match {
  /** All of them must match. */
  readonly parts: readonly MatchPart[];
  /** Each value has its own counter. Empty means one counter for all. */
  readonly groupBy: readonly Trait[];
}

/** A call must have one of these values. A model that ends in `*` stands for all that begin so. */
export interface MatchPart {
  readonly trait: Trait;
  readonly values: readonly string[];
}

/** As callers write it. */
export type MatchInput = { readonly [Name in RateTrait]?: OneOrMany | undefined } & {
  readonly tags?: Readonly<Record<string, OneOrMany>> | undefined;
};
type OneOrMany = string | readonly string[];

export function matchOf({ tags = {}, ...named }: MatchInput, groupBy: readonly Trait[]): Match {
  const dimensions = RATED.flatMap((trait) => partsOf(trait, named[trait]));
  const tagged = Object.entries(tags).flatMap(([name, values]) => partsOf(`${TAG_PREFIX}${name}`, values));
  return { parts: [...dimensions, ...tagged], groupBy };
}

function partsOf(trait: Trait, values: OneOrMany | undefined): MatchPart[] {
  if (values === undefined) return [];
  return [{ trait, values: [...new Set(typeof values === "string" ? [values] : values)] }];
}

export function matches({ parts }: Match, names: CallNames): boolean {
  return parts.every((part) => {
    const value = traitIn(names, part.trait);
    return value !== null && part.values.some((wanted) => isLike(part.trait, wanted, value));
  });
}

/** Every trait that some of them look at. */
export function traitsIn(all: readonly Match[]): Trait[] {
  return [...new Set(all.flatMap(({ parts, groupBy }) => [...parts.map(({ trait }) => trait), ...groupBy]))];
}

/** The beginning that a value stands for; null if it stands for itself. */
export function prefixOf(trait: Trait, value: string): string | null {
  return trait === "model" && value.endsWith("*") ? value.slice(0, -1) : null;
}

function isLike(trait: Trait, wanted: string, value: string): boolean {
  const prefix = prefixOf(trait, wanted);
  return prefix === null ? wanted === value : value.startsWith(prefix);
}

/** Returns whether some call could match both. */
export function couldMeet(one: Match, other: Match): boolean {
  return one.parts.every((part) => {
    const theirs = other.parts.find(({ trait }) => trait === part.trait);
    if (theirs === undefined) return true;
    return part.values.some((value) => theirs.values.some((their) => overlap(part.trait, value, their)));
  });
}

/**
 * Returns how many of these can have one call at most. A call has one value of each trait, so of those that ask for different
 * values of one trait, only those of one value count.
 */
export function mostOnOneCall(all: readonly Match[]): number {
  const byTrait = new Map<Trait, Map<string, number>>();
  let most = 0;
  for (const { parts } of all) {
    const exact = parts.find(({ trait, values }) => values.every((value) => prefixOf(trait, value) === null));
    if (exact === undefined) {
      most += 1;
      continue;
    }
    const byValue = byTrait.get(exact.trait) ?? new Map<string, number>();
    byTrait.set(exact.trait, byValue);
    for (const value of exact.values) byValue.set(value, (byValue.get(value) ?? 0) + 1);
  }
  const ofOneValue = Array.from(byTrait.values(), (byValue) =>
    [...byValue.values()].reduce((largest, count) => Math.max(largest, count), 0),
  );
  return ofOneValue.reduce((sum, count) => sum + count, most);
}

function overlap(trait: Trait, one: string, other: string): boolean {
  const [first, second] = [prefixOf(trait, one), prefixOf(trait, other)];
  if (first === null) return isLike(trait, other, one);
  return second === null ? other.startsWith(first) : first.startsWith(second) || second.startsWith(first);
}
