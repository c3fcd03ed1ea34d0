import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { openai } from "./openai.ts";
import type { Provider } from "./provider.ts";
import { PROVIDERS, providerNamed } from "./table.ts";

/**
 * Finds a provider by its own name, or by the one that it has in the price book. Undefined if it is not in the table.
 */
export function providerCalled(name: string): Provider | undefined {
  return providerNamed(name) ?? Object.values(PROVIDERS).find(({ prices }) => prices === name);
}

/** Returns who makes a model, by its name. Undefined if the name does not say. */
export function makerOf(model: string): Provider | undefined {
  return [openai, anthropic, gemini].find(({ models }) => models.some((facts) => facts.models.test(model)));
}

/** Returns whether some API of one is an API of the other. */
export function shareAnApi(one: Provider, other: Provider): boolean {
  const names = new Set(Object.values(one.serves).map(({ name }) => name));
  return Object.values(other.serves).some(({ name }) => names.has(name));
}
