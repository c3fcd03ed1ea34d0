import { anthropic } from "./anthropic.ts";
import { azure } from "./azure.ts";
import { bedrock } from "./bedrock.ts";
import { gemini } from "./gemini.ts";
import { hosts } from "./hosts.ts";
import { openai } from "./openai.ts";
import type { Provider } from "./provider.ts";

/** Every provider whose calls are metered. What is not in here is refused. */
export const PROVIDERS = { openai, anthropic, azure, bedrock, gemini, ...hosts } as const satisfies Readonly<
  Record<string, Provider>
>;

export type ProviderName = keyof typeof PROVIDERS;

export function providerNamed(name: string): Provider | undefined {
  return Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name as ProviderName] : undefined;
}
