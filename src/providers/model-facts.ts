/** The facts about a family of models beside its prices. */
export interface ModelFacts {
  readonly models: RegExp;
  /** The most tokens that it reads. */
  readonly contextTokens: number;
  /** The most tokens that it writes in one answer. */
  readonly outputTokens: number;
  /** True if it may write tokens that are billed and not shown, whatever a request says. */
  readonly reasons: boolean;
  /** The most that one picture costs. */
  readonly pictureTokens?: number;
}

export type FactsOfModel = Required<Omit<ModelFacts, "models">>;

/** The largest context and output of any model that is sold, and the most careful guess of the rest. */
const UNKNOWN: FactsOfModel = {
  contextTokens: 2_097_152,
  outputTokens: 131_072,
  reasons: true,
  pictureTokens: 12_000,
};

/** The first family that the name fits. A model that none fits is taken for the largest, and for one that reasons. */
export function factsOf(families: readonly ModelFacts[], model: string): FactsOfModel {
  const { models: _, ...facts } = families.find(({ models }) => models.test(model)) ?? { models: null };
  return { ...UNKNOWN, ...facts };
}
