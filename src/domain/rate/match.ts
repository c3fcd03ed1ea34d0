import { EACH, type RateTrait, RATED, TAG_PREFIX, type Trait } from "../../contract/dimensions.ts";
import type { RateLimits } from "../../contract/resources/rate-limits.ts";
import { type MatchInput, type Match, matches, matchOf, traitsIn } from "../meter/match.ts";
import { type CallNames, groupOf, groupText, traitIn } from "../meter/traits.ts";
import { cached } from "../cache/cached.ts";

type RateMatch = RateLimits["policies"][number]["match"];

/** The parts of a call that a policy looks at, in the form in which calls are compared with it. */
interface RateParts {
  /** The names that a call must have. `groupBy` names what is counted separately. */
  readonly match: Match;
  /** One counter for each customer, in the form that policies by customer alone have always had. */
  readonly isByCustomer: boolean;
}

const PARTS = new WeakMap<RateMatch, RateParts>();
const IN_BODY = RATED.filter((name): name is Exclude<RateTrait, "key_id"> => name !== "key_id");

function partsOf(match: RateMatch): RateParts {
  return cached(PARTS, match, () => readParts(match));
}

function readParts(match: RateMatch): RateParts {
  const each: Trait[] = IN_BODY.filter((name) => match[name] === EACH);
  if (match.each_key === true) each.push("key_id");
  const tags = Object.entries(match.tags ?? {});
  for (const [name, value] of tags) if (value === EACH) each.push(`${TAG_PREFIX}${name}`);
  const given: MatchInput = {
    ...Object.fromEntries(IN_BODY.filter((name) => match[name] !== EACH).map((name) => [name, match[name]])),
    tags: Object.fromEntries(tags.filter(([, value]) => value !== EACH)),
  };
  const others = each.filter((trait) => trait !== "customer_id");
  return {
    match: matchOf(given, each),
    isByCustomer: match.customer_id !== undefined && others.length === 0,
  };
}

/** Returns whether a policy has a counter for each of something, rather than one for all. */
export function countsEach(given: RateMatch): boolean {
  return partsOf(given).match.groupBy.length > 0;
}

/** The name of the only counter of a policy. */
export function onlySubject(given: RateMatch): string {
  return partsOf(given).isByCustomer ? (given.customer_id ?? "") : "";
}

/** Returns whose counter it is, as people read it. */
export function subjectText(given: RateMatch, subject: string): string {
  return partsOf(given).isByCustomer ? subject : (groupText(subject) ?? "");
}

/** Returns whether a policy looks at what only the body says. */
export function looksAtBody(match: RateMatch): boolean {
  const { parts, groupBy } = partsOf(match).match;
  return parts.length > 0 || groupBy.some((trait) => trait !== "key_id");
}

const APART: ReadonlySet<Trait> = new Set(["customer_id", "key_id"]);

/** Returns what a policy looks at in the body beside the customer. */
export function matchBeside(given: RateMatch): Match {
  const { parts, groupBy } = partsOf(given).match;
  return {
    parts: parts.filter(({ trait }) => !APART.has(trait)),
    groupBy: groupBy.filter((trait) => !APART.has(trait)),
  };
}

/** Everything that a policy tells calls apart by, the key included. */
export function traitsOf(given: RateMatch): Trait[] {
  const traits = traitsIn([partsOf(given).match]);
  return given.key_id === undefined ? traits : [...traits, "key_id"];
}

/**
 * Returns whose counter a call is in, by its names and its key. Empty if there is one for all. Null if the policy does
 * not apply to the call.
 */
export function rateSubject(given: RateMatch, names: CallNames): string | null {
  const { match, isByCustomer } = partsOf(given);
  if (!matches(match, names)) return null;
  if (match.groupBy.some((trait) => traitIn(names, trait) === null)) return null;
  if (isByCustomer) return names.customer_id ?? null;
  return match.groupBy.length === 0 ? "" : groupOf(names, match.groupBy);
}
