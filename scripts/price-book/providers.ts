import type { MatchLogic, Provider } from "@pydantic/genai-prices";
import type { BookProvider, NewBookProvider } from "../../src/contract/resources/price-book.ts";
import { patternsIn } from "./model-names.ts";

/** Providers whose models use plain names. All other names start with the provider. */
export const MAKERS = [
  "openai",
  "anthropic",
  "google",
  "mistral",
  "cohere",
  "deepseek",
  "x-ai",
  "moonshotai",
  "minimax",
  "perplexity",
  "voyageai",
  "zai",
  "zhipuai",
];

/** What the catalog knows of its providers, in its own order: the first that a name fits is meant. */
export function providersIn(providers: readonly Provider[]): NewBookProvider[] {
  return providers.map((given) => {
    const names = optionalPatterns(given.provider_match);
    const models = optionalPatterns(given.model_match);
    const fallbacks = given.fallback_model_providers ?? [];
    return {
      provider: given.id,
      ...(names.length === 0 ? {} : { names }),
      ...(models.length === 0 ? {} : { models }),
      ...(fallbacks.length === 0 ? {} : { fallbacks }),
      ...(MAKERS.includes(given.id) ? {} : { hosts: true }),
    };
  });
}

function optionalPatterns(match: MatchLogic | undefined): string[] {
  return match === undefined ? [] : (patternsIn(match) ?? []);
}

/** As the server stores and shows it. */
export function bookProvider({
  provider,
  names = [],
  models = [],
  fallbacks = [],
  hosts = false,
}: NewBookProvider): BookProvider {
  return { provider, names, models, fallbacks, hosts };
}
