/** The calls of providers whose tokens are counted. */
export type ApiName = "chat" | "completions" | "responses" | "embeddings" | "messages";

const APIS: readonly (readonly [RegExp, ApiName])[] = [
  [/\/chat\/completions$/, "chat"],
  [/\/v\d+\/completions$/, "completions"],
  [/\/v\d+\/responses$/, "responses"],
  [/\/v\d+\/embeddings$/, "embeddings"],
  [/\/v\d+\/messages$/, "messages"],
];

/** Which of them a path names, also where it is written in a way that a provider may still accept. Null: none. */
export function apiOf(method: string, pathname: string): ApiName | null {
  if (method !== "POST") return null;
  const plain = decoded(pathname)
    .toLowerCase()
    .replaceAll(/\/{2,}/g, "/")
    .replace(/\/+$/, "");
  return APIS.find(([path]) => path.test(plain))?.[1] ?? null;
}

function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** Whoever has this API first. Others that are compatible with it have names of their own. */
export function usualProvider(api: ApiName): string {
  return api === "messages" ? "anthropic" : "openai";
}

/** Calls of these methods read or delete, and cost nothing. */
export function isFree(method: string): boolean {
  return /^(GET|HEAD|OPTIONS|DELETE)$/.test(method);
}
