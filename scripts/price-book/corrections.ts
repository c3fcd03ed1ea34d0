import type { MatchLogic, ModelInfo, Provider } from "@pydantic/genai-prices";

/** What the catalog has wrong, as the page of the provider says it. Each is left out once the catalog has it right. */

interface MovedNames {
  readonly provider: string;
  readonly names: readonly string[];
  readonly to: string;
}

const MOVED: readonly MovedNames[] = [
  {
    // The latest is Mistral Large 3, and no longer 2: docs.mistral.ai/getting-started/models.
    provider: "mistral",
    names: ["mistral-large-latest"],
    to: "mistral-large-2512",
  },
  {
    // Its searches cost more than those of gpt-4o-mini: developers.openai.com/api/docs/models/gpt-4o-mini-search-preview.
    provider: "openai",
    names: ["gpt-4o-mini-search-preview", "gpt-4o-mini-search-preview-2025-03-11"],
    to: "gpt-4o-mini-search-preview",
  },
];

interface AddedModel {
  readonly provider: string;
  readonly model: ModelInfo;
}

const ADDED: readonly AddedModel[] = [
  {
    provider: "openai",
    model: {
      id: "gpt-4o-mini-search-preview",
      match: { or: [] },
      context_window: 128_000,
      prices: { input_mtok: 0.15, cache_read_mtok: 0.075, output_mtok: 0.6 },
    },
  },
  {
    // aws.amazon.com/bedrock/pricing. The catalog has the price of the first version for both.
    provider: "aws",
    model: {
      id: "amazon.titan-embed-text-v2:0",
      match: { contains: "amazon.titan-embed-text-v2" },
      context_window: 8192,
      prices: { input_mtok: 0.02 },
    },
  },
];

interface CorrectedPrices {
  readonly provider: string;
  readonly models: readonly string[];
  readonly prices: (from: ModelInfo["prices"], models: readonly ModelInfo[]) => ModelInfo["prices"];
}

const ABOVE_128K = 128_000;

const PRICES: readonly CorrectedPrices[] = [
  {
    // Twice as much above 128,000 tokens of input, but for cached ones: docs.x.ai/docs/models. The catalog has it for OpenRouter's row of
    // one of them.
    provider: "x-ai",
    models: [
      "grok-4-0709",
      "grok-4-fast-reasoning",
      "grok-4-fast-non-reasoning",
      "grok-4-1-fast-reasoning",
      "grok-4-1-fast-non-reasoning",
    ],
    prices: (from) =>
      Array.isArray(from)
        ? from
        : { ...from, input_mtok: doubled(from["input_mtok"]), output_mtok: doubled(from["output_mtok"]) },
  },
  {
    // With a context of a million tokens it costs what Sonnet 4.5 does: platform.claude.com/docs/en/about-claude/pricing.
    provider: "anthropic",
    models: ["claude-sonnet-4-0"],
    prices: (from, models) => models.find(({ id }) => id === "claude-sonnet-4-5")?.prices ?? from,
  },
  {
    // The last price under these names, that of V3.2: api-docs.deepseek.com/quick_start/pricing. The catalog has that of the days before
    // September 5, 2025.
    provider: "deepseek",
    models: ["deepseek-chat", "deepseek-reasoner"],
    prices: () => ({ input_mtok: 0.28, cache_read_mtok: 0.028, output_mtok: 0.42 }),
  },
];

function doubled(rate: number | object | undefined) {
  return typeof rate === "number"
    ? { base: rate, tiers: [{ start: ABOVE_128K, price: rate * 2 }] }
    : undefined;
}

export function corrected(providers: readonly Provider[]): Provider[] {
  return providers.map((provider) => {
    const added = ADDED.filter((one) => one.provider === provider.id).map(({ model }) => model);
    // The catalog takes the first model whose rule accepts a name.
    const models = [...added, ...provider.models].map((model) => ({
      ...model,
      match: matchOf(provider.id, model),
      prices: pricesOf(provider, model),
    }));
    return { ...provider, models };
  });
}

function pricesOf({ id, models }: Provider, model: ModelInfo): ModelInfo["prices"] {
  const correction = PRICES.find((one) => one.provider === id && one.models.includes(model.id));
  return correction === undefined ? model.prices : correction.prices(model.prices, models);
}

function matchOf(provider: string, { id, match }: ModelInfo): MatchLogic {
  const moves = MOVED.filter((one) => one.provider === provider);
  const gained = moves.filter(({ to }) => to === id).flatMap(({ names }) => names);
  const lost = new Set(moves.filter(({ to }) => to !== id).flatMap(({ names }) => names));
  const rules = "or" in match ? match.or : [match];
  const kept = rules.filter((rule) => !("equals" in rule) || !lost.has(rule.equals));
  return { or: [...kept, ...gained.map((equals) => ({ equals }))] };
}
