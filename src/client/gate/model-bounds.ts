import { BoundedMap } from "../../domain/cache/bounded-map.ts";
import { formatUsd } from "../../domain/price/money.ts";
import type { ModelName } from "../../domain/price/model-name.ts";
import type { KnownCeiling } from "../../gate/snapshot/ceilings.ts";
import type { DecisionsDecideBody } from "../generated/types.ts";

/** The bounds that the price of a model sets to its calls. */
export interface ModelBounds {
  /** The most tokens of a request. Null if the price does not state it. */
  readonly context_window: number | null;
  /** The most output tokens of a request. Null if the price does not state it. */
  readonly max_output_tokens: number | null;
  /** Dollars for one of each unit. A unit that is not listed has no price, and a run that counts it is refused. */
  readonly units: Readonly<Record<string, string>>;
}

const MOST_MODELS = 500;

/** The bounds of models that were priced. They outlive what is known of limits, because they hardly ever change. */
export class KnownBounds {
  readonly #known = new BoundedMap<string, ModelBounds>(MOST_MODELS);

  get(name: ModelName): ModelBounds | null {
    return this.#known.get(keyOf(name)) ?? null;
  }

  set(name: ModelName, ceiling: KnownCeiling | null): ModelBounds | null {
    if (ceiling === null) {
      this.#known.delete(keyOf(name));
      return null;
    }
    const bounds = boundsOf(ceiling);
    this.#known.set(keyOf(name), bounds);
    return bounds;
  }
}

/** A dry run reserves nothing. It asks for tokens, because only those are priced. */
export function askForBounds({ model, provider }: ModelName): DecisionsDecideBody {
  return {
    model,
    ...(provider === undefined ? {} : { provider }),
    estimate: { input_tokens: 0, max_output_tokens: 0 },
    checks: "limits",
    on_expiry: "release",
    dry_run: true,
  };
}

function keyOf({ provider, model }: ModelName): string {
  return provider === undefined ? model : `${model}\n${provider}`;
}

function boundsOf({ contextWindow, maxOutputTokens, units }: KnownCeiling): ModelBounds {
  return {
    context_window: contextWindow,
    max_output_tokens: maxOutputTokens,
    units: Object.fromEntries(units.map(({ name, nanos }) => [name, formatUsd(nanos)])),
  };
}
