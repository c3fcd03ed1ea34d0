import type { ApiName } from "./provider-api.ts";
import { countOf, isObject } from "./usage/provider-usage.ts";

/** What a body says about what its call may cost. */
export interface Expected {
  readonly model: string | undefined;
  readonly isStream: boolean;
  /** At most about so many: what is reserved. */
  readonly inputTokens: number;
  /** Undefined: the caller sets no bound, and the service's own applies. */
  readonly maxOutputTokens: number | undefined;
  /** Most likely so many: what is charged where the provider does not say it. */
  readonly likelyInputTokens: number;
}

/** Text has four bytes to a token in English, and as few as three in other languages and in code. */
const LEAST_BYTES_PER_TOKEN = 3;
const USUAL_BYTES_PER_TOKEN = 4;
/** Pictures, recordings and documents inside a body: far fewer tokens than bytes. */
const INLINE_BYTES_PER_TOKEN = 16;
const INLINE = /^(?:data:[\w.+-]+\/[\w.+-]+;base64,|[A-Za-z0-9+/=\r\n]{4096,}$)/;

const MOST_TOKENS = 1_000_000_000_000;

const BOUNDS = ["max_tokens", "max_completion_tokens", "max_output_tokens"] as const;

/** From the model, the size of the body and the maximum of output tokens. */
export function expectedOf(api: ApiName, body: Readonly<Record<string, unknown>>): Expected {
  const { text, inline } = sizesIn(body);
  const inlineTokens = Math.ceil(inline / INLINE_BYTES_PER_TOKEN);
  const { model } = body;
  return {
    model: typeof model === "string" && model !== "" ? model : undefined,
    isStream: body["stream"] === true,
    inputTokens: Math.ceil(text / LEAST_BYTES_PER_TOKEN) + inlineTokens,
    likelyInputTokens: Math.ceil(text / USUAL_BYTES_PER_TOKEN) + inlineTokens,
    maxOutputTokens: mostOutput(api, body),
  };
}

function mostOutput(api: ApiName, body: Readonly<Record<string, unknown>>): number | undefined {
  if (api === "embeddings") return 0;
  // Whichever of them the provider goes by, it is no more than the highest.
  const bounds = BOUNDS.map((name) => countOf(body[name])).filter((bound) => bound !== null);
  if (bounds.length === 0) return undefined;
  const answers = Math.max(1, countOf(body["n"]) ?? 1, countOf(body["best_of"]) ?? 1);
  const { prompt } = body;
  const prompts = api === "completions" && Array.isArray(prompt) ? Math.max(1, prompt.length) : 1;
  return Math.min(MOST_TOKENS, Math.max(...bounds) * answers * prompts);
}

const encoder = new TextEncoder();

/** Bytes of what a model reads: names included, as they stand for what providers add around it. */
function sizesIn(body: unknown): { readonly text: number; readonly inline: number } {
  let text = 0;
  let inline = 0;
  const open: unknown[] = [body];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") {
      const { byteLength } = encoder.encode(value);
      if (INLINE.test(value)) inline += byteLength;
      else text += byteLength;
    } else if (Array.isArray(value)) {
      for (const item of value) open.push(item);
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        text += name.length;
        open.push(member);
      }
    } else text += USUAL_BYTES_PER_TOKEN;
  }
  return { text, inline };
}
