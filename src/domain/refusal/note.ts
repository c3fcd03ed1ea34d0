import type { DecidedAt } from "../../contract/decision.ts";
import { isKeptCode } from "../../contract/kept-refusals.ts";
import type { Refusal } from "../../contract/refusal.ts";
import { type RefusedNames, type StoredNames, storedNames } from "./names.ts";
import { cached } from "../cache/cached.ts";

/** One refusal as it is stored. It contains nothing of the scanned input. */
export interface RefusalNote extends StoredNames {
  readonly at: number;
  readonly trace: string;
  readonly decided: DecidedAt;
  readonly operation: string;
  readonly status: number;
  readonly code: string;
  /** The details of the refusal, as JSON. */
  readonly details: string;
  /** The limit or rule that refused. */
  readonly limit: string;
  readonly keyId: string | null;
  /** In nano-dollars. Null if the call was refused before its amount was known. */
  readonly nanos: string | null;
  /** The caller's trace and span. */
  readonly parent?: string | null;
}

/** The call that was refused. */
export interface RefusedCall extends Pick<
  RefusalNote,
  "at" | "trace" | "decided" | "operation" | "keyId" | "parent"
> {
  readonly names: RefusedNames;
  readonly nanos: bigint | number | null;
}

/** Null if refusals with this code are not kept. */
export function refusalNote(refusal: Refusal, call: RefusedCall): RefusalNote | null {
  if (!isKeptCode(refusal.code)) return null;
  const { names, nanos, ...rest } = call;
  return {
    ...rest,
    status: refusal.status,
    code: refusal.code,
    details: detailsText(refusal),
    limit: limitOf(refusal),
    ...storedNames(names),
    nanos: nanos === null ? null : String(nanos),
  };
}

const texts = new WeakMap<Refusal, string>();

/** The sample of a detector is an excerpt of the input, which is never stored. */
function detailsText(refusal: Refusal): string {
  return cached(texts, refusal, () => {
    const { sample: _, ...details } = refusal.details as { sample?: unknown };
    return JSON.stringify(details);
  });
}

type LimitDetails = Readonly<
  Partial<Record<"budget_id" | "policy_id" | "rule_id" | "detector" | "limit_kind" | "reason", unknown>>
>;

/** The facts of a refusal by which its limit is found. */
export interface NamedRefusal {
  readonly code: string;
  readonly details: object;
  readonly limit?: string;
}

/** The id of the limit, rule or detector. A limit that an org has only one of is named by its kind. */
export function limitOf({ code, details, limit }: NamedRefusal): string {
  const said = details as LimitDetails;
  const id = limit ?? said.budget_id ?? said.policy_id ?? said.rule_id ?? said.detector;
  if (typeof id === "string") return id;
  if (code === "plan_limit_exceeded") return `plan_${String(said.limit_kind)}`;
  if (code === "chain_budget_exceeded") return `chain_${String(said.reason)}`;
  return ONE_OF_A_KIND[code] ?? code;
}

const ONE_OF_A_KIND: Readonly<Record<string, string>> = {
  spend_cap_exceeded: "spend_cap",
  quota_exhausted: "quota",
  credits_exhausted: "credits",
};
