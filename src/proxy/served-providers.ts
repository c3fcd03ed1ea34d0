import { SluiceError } from "../client/errors.ts";
import { anthropicHost, host } from "../providers/compatible.ts";
import { type Provider, provider } from "../providers/provider.ts";
import { PROVIDERS, providerNamed } from "../providers/table.ts";
import type { ProviderAccess, ProxyOptions } from "./options.ts";

/** A provider that has a prefix of the proxy. */
export interface ServedProvider {
  readonly name: string;
  readonly provider: Provider;
  readonly access: ProviderAccess;
}

export type ServedProviders = ReadonlyMap<string, ServedProvider>;

const NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** By their names: all of the table, and those of the operator's own. */
export function servedProviders({ providers }: Pick<ProxyOptions, "providers">): ServedProviders {
  const names = new Set([...Object.keys(PROVIDERS), ...Object.keys(providers)]);
  return new Map(Array.from(names, (name) => [name, served(name, providers[name])]));
}

function served(name: string, access: ProviderAccess = {}): ServedProvider {
  const known = providerNamed(name);
  if (known === undefined && (access.url === undefined || !NAME.test(name)))
    throw new SluiceError(`the provider ${name} needs a url, and a name of a-z, 0-9 and -`);
  const { prices } = access;
  const at = known ?? ownProvider(name, access);
  return { name, provider: prices === undefined ? at : provider(name, { ...at, prices }), access };
}

/** A host of the operator's own. It may need no key. */
function ownProvider(name: string, { url = "", compatibleWith }: ProviderAccess): Provider {
  const own = { url, prices: name, needsKey: false };
  return compatibleWith === "anthropic" ? provider(name, { ...anthropicHost, ...own }) : host(name, own);
}
