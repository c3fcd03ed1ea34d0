import { TAG_PREFIX, type Trait } from "../../contract/dimensions.ts";
import type { LeaseReport } from "../../contract/resources/edge-leases.ts";
import { SINGLE_FIELDS } from "../../contract/scopes.ts";
import type { SignedLimitSet } from "../../domain/meter/limit-set-token.ts";
import type { CallNames } from "../../domain/meter/traits.ts";
import type { DecisionAsk } from "../../gate/decision/ask.ts";
import type { RelevantNames } from "../../gate/snapshot/decision-plan.ts";
import type { CallLine } from "../../gate/report/call-line.ts";

type Names = NonNullable<SignedLimitSet["names"]>;
type GivenCall = LeaseReport["batches"][number]["holds"][number]["call"];

/** The key that asks, and what no limit of a gate outside can look at. */
const UNSAID: ReadonlySet<Trait> = new Set(["key_id", "outcome", "chain_id"]);

/** Returns the values of an ask where limits look at it. Null where it says nothing. */
export function pickRelevantNames(ask: DecisionAsk, matters: RelevantNames): Names {
  const said: CallNames = ask;
  const fields: (keyof CallNames)[] = [];
  for (const [kind, field] of SINGLE_FIELDS) if (matters[kind]?.length !== 0) fields.push(field);
  if (matters.customer) fields.push("customer_id");
  for (const { trait } of matters.traits ?? []) {
    if (trait.startsWith(TAG_PREFIX)) fields.push("tags");
    else if (!UNSAID.has(trait)) fields.push(trait as keyof CallNames);
  }
  return Object.fromEntries(fields.map((field) => [field, said[field] ?? null]));
}

/**
 * Returns the names in the run of a hold of a gate outside. Where limits look at a call, it says what it was given
 * slices for, so that it is charged to the limits of what it says. A hold whose call is not said is given back.
 */
export function callOf(
  given: GivenCall = { on_expiry: "release" },
  { names }: SignedLimitSet,
  keyId: string,
): CallLine {
  const said = Object.entries({ ...given, ...names }).filter(([, value]) => value !== null);
  return { ...(Object.fromEntries(said) as CallLine), keyId };
}
