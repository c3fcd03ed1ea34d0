/** Names of OpenTelemetry's conventions for generative AI, and how ours translate to them. */

/** Providers that the conventions have a name for, by their names in the price book and in the proxy. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ["aws", "aws.bedrock"],
  ["bedrock", "aws.bedrock"],
  ["azure", "azure.ai.openai"],
  ["google", "gcp.gemini"],
  ["gemini", "gcp.gemini"],
  ["vertex", "gcp.vertex_ai"],
  ["mistral", "mistral_ai"],
  ["mistralai", "mistral_ai"],
  ["x-ai", "x_ai"],
  ["xai", "x_ai"],
]);

export function providerName(provider: string): string {
  return PROVIDERS.get(provider) ?? provider;
}

const OPERATIONS: ReadonlySet<string> = new Set([
  "chat",
  "generate_content",
  "text_completion",
  "embeddings",
  "create_agent",
  "invoke_agent",
  "execute_tool",
]);

/** An action that is one of the conventions' operations is taken for it. Otherwise the model tells. */
export function operationName(action: string | null, model: string | null): string {
  if (action !== null && OPERATIONS.has(action)) return action;
  return model !== null && /embed/i.test(model) ? "embeddings" : "chat";
}
