import { objectOf } from "./json.ts";
import type { ProviderTerms } from "./provider.ts";

/** Names of models that somebody tuned: `ft:gpt-4o:acme::id`, `curie:ft-acme`, `gpt-4o.ft-id`, `tunedModels/mine`. */
const TUNED_NAME = /(?:^|[:./])ft[:-]|^tunedModels\//;
/** Members that name what a model was made from, or by which job. */
const ORIGINS = ["fine_tune", "fine_tuning_job", "job", "parent", "base_model", "baseModel"] as const;
/** An organization or a person, and no company that sells models. */
const ACCOUNT = /^(?:org|user)-/;

/** Returns whether a model in a provider's list belongs to the account that asked, by the marks of all providers and its own. */
export function isOwnModel(model: unknown, { isOwnModel: own }: Pick<ProviderTerms, "isOwnModel">): boolean {
  const facts = objectOf(model);
  const { type, finetuned, owned_by: owner } = facts;
  return (
    [facts["id"], facts["name"]].some((name) => typeof name === "string" && TUNED_NAME.test(name)) ||
    ORIGINS.some((member) => typeof facts[member] === "string" && facts[member] !== "") ||
    type === "fine-tuned" ||
    finetuned === true ||
    (typeof owner === "string" && ACCOUNT.test(owner)) ||
    (typeof own === "function" && own(facts))
  );
}
