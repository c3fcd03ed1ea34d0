import type { EmbeddedGate } from "../../../src/client/gate/index.ts";
import { inputOf } from "../billing-provider/rates.ts";
import { PROMPT, type Shape } from "../billing-provider/shape.ts";

/** How a caller reaches a provider. */
export interface Road {
  readonly name: string;
  readonly takes: (shape: Shape) => boolean;
  /** Makes the call and reads its answer as far as the shape says. */
  readonly call: (shape: Shape, name: string) => Promise<void>;
  /** Resolves when all runs were sent. Undefined for a road whose runs must be waited for. */
  readonly settled?: () => Promise<void>;
}

/** Work of which a road waits for the end. */
export class Background {
  readonly #work: Promise<unknown>[] = [];
  readonly waitUntil = (work: Promise<unknown>): void => void this.#work.push(work);

  /** Work may add more. */
  readonly settled = async (): Promise<void> => {
    for (let done = -1; done < this.#work.length;) {
      done = this.#work.length;
      await Promise.allSettled(this.#work);
    }
  };
}

/** What a road is made of. */
export interface Surroundings {
  readonly gate: EmbeddedGate;
  readonly key: string;
  /** The address of the stand-in. */
  readonly provider: string;
}

/** The addresses of the providers themselves. */
export const ADDRESSES: Readonly<Record<string, string>> = {
  openai: "https://api.openai.com",
  anthropic: "https://api.anthropic.com",
  gemini: "https://generativelanguage.googleapis.com",
  bedrock: "https://bedrock-runtime.us-east-1.amazonaws.com",
  cohere: "https://api.cohere.com",
  groq: "https://api.groq.com/openai",
  mistral: "https://api.mistral.ai",
  openrouter: "https://openrouter.ai/api",
  xai: "https://api.x.ai",
  deepseek: "https://api.deepseek.com",
  perplexity: "https://api.perplexity.ai",
};

export const hasAddress = ({ host }: Shape): boolean => Object.hasOwn(ADDRESSES, host);

/** A stream that is left is read on for so long. */
export const GRACE_MS = 60;

type Send = (url: string, init: RequestInit) => Promise<Response>;

/** Sends what is meant for a provider to the stand-in. */
export const sentTo =
  (provider: string): Send =>
  (url, init) => {
    const { pathname, search } = new URL(url);
    return fetch(provider + pathname + search, init);
  };

const MOST_PROMPT_WORDS = 4000;

/** The text of a call: its name, and about as many tokens as the provider reads. */
export function promptOf({ billed }: Shape, name: string): string {
  const tokens = typeof billed === "function" ? 1000 : inputOf(billed);
  return `${name} ${"rain ".repeat(Math.min(tokens, MOST_PROMPT_WORDS))}`;
}

/** The shape's request as a caller writes it. */
export function requestOf(shape: Shape, name: string): { headers: Record<string, string>; body: BodyInit } {
  const { body, file, headers = {} } = shape;
  if (file === undefined) {
    const text = JSON.stringify(body).replaceAll(PROMPT, promptOf(shape, name));
    return { headers: { "content-type": "application/json", ...headers }, body: text };
  }
  const form = new FormData();
  for (const [member, value] of Object.entries(body))
    form.set(member, String(value).replaceAll(PROMPT, name));
  form.set("file", new Blob([new Uint8Array(file.bytes)]), file.name);
  return { headers: { ...headers }, body: form };
}

/** Pieces that a caller reads before it leaves. */
const READ_BEFORE_LEAVING = 3;

/** Reads an answer to its end, or leaves it. */
export async function read(answer: Response, { ends }: Shape, leave?: () => void): Promise<void> {
  if (ends !== "left" && ends !== "left alone") {
    await answer.arrayBuffer().catch(() => null);
    return;
  }
  const reader = answer.body?.getReader();
  for (let bytes = 0; bytes < READ_BEFORE_LEAVING;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return;
    bytes += value?.byteLength ?? 0;
  }
  if (leave === undefined) await reader?.cancel().catch(() => undefined);
  else {
    leave();
    await reader?.read().catch(() => undefined);
  }
}

export const isLeftAlone = ({ ends }: Shape): boolean => ends === "left alone";

/** The provider in the price book, and the model. */
export function pricedAs({ priced }: Shape): { readonly provider: string; readonly model: string } {
  const [provider = "", model = ""] = priced.split(" ");
  return { provider, model };
}
