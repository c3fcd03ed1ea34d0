import { compatibleChat } from "./apis/openai-chat.ts";
import { openai } from "./openai.ts";
import { provider } from "./provider.ts";

/** A host that is compatible with OpenAI, of which nothing else is known. Its models are taken for the largest. */
export const compatible = provider("openai", {
  ...openai,
  serves: { ...openai.serves, "/v1/chat/completions": compatibleChat },
});
