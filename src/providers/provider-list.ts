/** One line for each provider with an API or terms of its own. Its name here is its prefix. */
export { anthropic } from "./anthropic.ts";
export { azure } from "./azure.ts";
export { bedrock } from "./bedrock.ts";
export { cohere } from "./cohere.ts";
export { gemini } from "./gemini.ts";
export { openai } from "./openai.ts";
