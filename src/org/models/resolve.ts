import type { PriceMatch } from "../../contract/price-match.ts";
import type { PriceQuery, ResolvedPrice } from "../../contract/resources/prices/resolved-price.ts";
import { query, type View } from "../kernel/door.ts";
import type { FoundPrice } from "./named-prices.ts";
import { providersOf } from "./providers.ts";
import { pricesOf } from "./revisions.ts";
import { iso } from "../../domain/time/iso.ts";

/** Tells which row would price a call now, and why. */
export const resolvePrice = query({
  refuses: [],
  models: (asked: PriceQuery) => [asked],
  run(view, asked: PriceQuery): ResolvedPrice {
    const found = pricesOf(view.sql, asked).found(view.now);
    const named = { model: asked.model, provider: asked.provider ?? null };
    if (found === null) {
      const why = whyNone(view, asked);
      return { ...named, priced: false, matched_by: null, rule: null, why, price: null };
    }
    const { revision, matchedBy } = found;
    return {
      ...named,
      priced: true,
      matched_by: matchedBy,
      rule: revision.found?.rule ?? null,
      why: whyFound(found),
      price: {
        model: revision.found?.model ?? revision.model,
        source: revision.source,
        revision: revision.revision,
        effective_at: iso(revision.effectiveAt),
        ...revision.terms,
      },
    };
  },
});

const REASONS: Readonly<Record<PriceMatch, string>> = {
  provider_and_model: "has this model of the provider",
  provider_rule: "has a model of the provider with an alias that fits the name",
  model: "has this model",
  model_rule: "has a model with an alias that fits the name",
};

function whyFound({ revision, matchedBy }: FoundPrice): string {
  const whose = revision.source === "org" ? "The organization's own price book" : "The platform's price book";
  return `${whose} ${REASONS[matchedBy]}.`;
}

function whyNone({ sql }: View, { provider }: PriceQuery): string {
  const none = "Neither the organization nor the platform's price book has a price for this model";
  if (provider === undefined) return `${none}. A call may have to name its provider.`;
  return providersOf(sql).providers.named(provider) === null
    ? `${none}, and the platform's price book does not know the provider.`
    : `${none}, at this provider or by the name alone.`;
}
