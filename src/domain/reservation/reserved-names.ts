import { ATTRIBUTED } from "../../contract/dimensions.ts";
import type { DecisionAsk } from "../../contract/resources/decisions/decisions.ts";
import type { RunInput } from "../../contract/resources/runs/runs.ts";
import { NAMED_FIELDS, type ScopeField } from "../../contract/scopes.ts";
import { STANDARD_VARIANT } from "../../contract/token-classes.ts";

type PlainName = ScopeField | (typeof ATTRIBUTED)[number] | "action" | "approval_id";

/** Names that a call has or lacks. Its run has the same. */
const PLAIN: readonly PlainName[] = [
  ...NAMED_FIELDS.map(([, field]) => field),
  ...ATTRIBUTED,
  "action",
  "approval_id",
];

/** The names under which a call was reserved. */
export type ReservedNames = Pick<DecisionAsk, PlainName | "model" | "variant" | "tags" | "chain">;

type NamedField = PlainName | "model" | "variant" | "tags" | "chain";

/**
 * Returns the first field in which a run names something that its reservation does not. Null if there is none. What a
 * run leaves out is its reservation's. A reservation may leave the model to its run, and the variant: a provider says
 * afterwards by which it bills.
 */
export function findOtherName(run: RunInput, own: ReservedNames): NamedField | null {
  const plain = PLAIN.find((field) => run[field] !== undefined && run[field] !== own[field]);
  if (plain !== undefined) return plain;
  if (own.model !== undefined && run.model !== own.model) return "model";
  if (isOtherVariant(run.variant, own.variant)) return "variant";
  const tags = Object.entries(run.tags ?? {});
  if (tags.some(([name, value]) => !Object.hasOwn(own.tags ?? {}, name) || own.tags?.[name] !== value))
    return "tags";
  return isOtherChain(run.chain, own.chain) ? "chain" : null;
}

function isOtherVariant(said: string | undefined, own: string | undefined): boolean {
  return own !== undefined && said !== undefined && said !== STANDARD_VARIANT && said !== own;
}

/** Where only the chain was stored, the run says its place in it. */
function isOtherChain(said: RunInput["chain"], own: ReservedNames["chain"]): boolean {
  if (said === undefined) return false;
  if (said.chain_id !== own?.chain_id) return true;
  return (
    own.parent_run_id !== undefined &&
    said.parent_run_id !== undefined &&
    said.parent_run_id !== own.parent_run_id
  );
}

/** The run with the names of its reservation where it says none. */
export function withReservedNames(run: RunInput, own: ReservedNames): RunInput {
  const names: { -readonly [Field in PlainName | "tags" | "chain"]?: ReservedNames[Field] } = {};
  const isMissing = (field: PlainName) => run[field] === undefined && own[field] !== undefined;
  for (const field of PLAIN) if (isMissing(field)) names[field] = own[field];
  if (own.tags !== undefined) names.tags = own.tags;
  if (own.chain !== undefined) names.chain = { ...own.chain, ...run.chain };
  return { ...run, ...names };
}
