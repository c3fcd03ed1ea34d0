import type { FieldError } from "../../contract/error-details.ts";
import type { NewFallback } from "../../contract/resources/fallbacks.ts";
import type { Provider } from "../../providers/provider.ts";
import { listOf } from "./list-of.ts";
import { makerOf, providerCalled, shareAnApi } from "../../providers/shared-apis.ts";

/**
 * The models of a rule that calls cannot go on to, because they are called by another API: nothing is translated. A provider that
 * is not in the table, and a model whose name does not say who makes it, are found out when a call is made.
 */
export function apiErrors({ match, then }: NewFallback): FieldError[] {
  const named = listOf(match.provider).map(providerCalled);
  const makers = listOf(match.model).map((model) => makerOf(model.replace(/\*$/, "")));
  const from = (named.length > 0 ? named : makers).filter((one) => one !== undefined);
  return then.flatMap(({ model, provider }, at) => {
    const maker = makerOf(model);
    if (provider === undefined && named.length === 0 && from.some((one) => isOther(one, maker)))
      return [
        {
          field: `then[${at}].provider`,
          code: "required",
          message: "is required for a model of another maker",
        },
      ];
    const to = provider === undefined ? undefined : providerCalled(provider);
    const apart = to === undefined ? undefined : from.find((one) => !shareAnApi(one, to));
    if (to === undefined || apart === undefined) return [];
    const message = `is called by another API than the models of ${apart.name}, and calls are not translated`;
    return [{ field: `then[${at}].provider`, code: "invalid_value", message }];
  });
}

function isOther(provider: Provider, maker: Provider | undefined): boolean {
  return maker !== undefined && maker.name !== provider.name;
}
