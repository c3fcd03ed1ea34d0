import { hosts } from "./hosts.ts";
import * as listed from "./provider-list.ts";
import type { Provider } from "./provider.ts";

/** Every provider whose calls are metered. A provider that is not in here is refused. */
export const PROVIDERS = { ...listed, ...hosts } as const satisfies Readonly<Record<string, Provider>>;

export type ProviderName = keyof typeof PROVIDERS;

export function providerNamed(name: string): Provider | undefined {
  return Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name as ProviderName] : undefined;
}

/** The first provider with a name in the price book. */
export function providerPricedAs(prices: string): Provider | undefined {
  return Object.values<Provider>(PROVIDERS).find((provider) => provider.prices === prices);
}
