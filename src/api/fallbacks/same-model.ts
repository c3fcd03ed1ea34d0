import type { FieldError } from "../../contract/error-details.ts";
import type { NewFallback } from "../../contract/resources/fallbacks.ts";
import { providerCalled } from "../../providers/shared-apis.ts";
import { listOf } from "./list-of.ts";

/**
 * The models of a rule that every call comes from already. Where a rule matches several models or providers, a try skips the
 * one that was called, so only a rule that matches nothing else is wrong.
 */
export function sameModelErrors({ match, then }: NewFallback): FieldError[] {
  const models = new Set(listOf(match.model));
  const providers = new Set(listOf(match.provider).map(nameOf));
  return then.flatMap(({ model, provider }, at) => {
    if (models.size > 1 || !models.has(model)) return [];
    const isElsewhere = provider !== undefined && (providers.size !== 1 || !providers.has(nameOf(provider)));
    if (isElsewhere) return [];
    const message = `is the model that the rule falls back from. Name another model, or another provider of ${model}`;
    return [{ field: `then[${at}].model`, code: "invalid_value", message }];
  });
}

/** A provider has a name of its own and may have another one in the price book. */
function nameOf(provider: string): string {
  return providerCalled(provider)?.name ?? provider;
}
