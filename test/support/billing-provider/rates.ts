/** Tokens and units of one call. Classes of tokens do not overlap. */
export interface Billed {
  /** Input that no cache had to do with. */
  readonly text?: number;
  readonly cached?: number;
  /** Written to a cache of five minutes. */
  readonly written?: number;
  readonly writtenForAnHour?: number;
  readonly audioIn?: number;
  readonly imageIn?: number;
  readonly output?: number;
  /** Output that the answer does not show. */
  readonly thoughts?: number;
  readonly audioOut?: number;
  readonly imageOut?: number;
  readonly searches?: number;
  /** Input of searches that is billed, and no usage has it. */
  readonly unseen?: number;
  readonly seconds?: number;
  readonly characters?: number;
  readonly sessions?: number;
  readonly requests?: number;
  /** What the tokens are multiplied by. */
  readonly tier?: string;
}

/** Dollars for a million tokens. */
interface TokenRates {
  readonly text: number;
  readonly output: number;
  readonly cached?: number;
  readonly written?: number;
  readonly writtenForAnHour?: number;
  readonly audioIn?: number;
  readonly imageIn?: number;
  readonly audioOut?: number;
  readonly imageOut?: number;
}

/** A row of a provider's price page. */
interface Row extends TokenRates {
  /** The whole call is billed by these where it reads more than so many tokens. */
  readonly above?: { readonly tokens: number; readonly rates: TokenRates };
  readonly tiers?: Readonly<Record<string, number>>;
  /** Dollars for one of each. */
  readonly search?: number;
  readonly second?: number;
  readonly character?: number;
  readonly session?: number;
  readonly request?: number;
}

const SONNET = { text: 3, cached: 0.3, written: 3.75, writtenForAnHour: 6, output: 15 };
const LONG_SONNET = { text: 6, cached: 0.6, written: 7.5, writtenForAnHour: 12, output: 22.5 };
const GPT_4O_MINI = { text: 0.15, cached: 0.075, output: 0.6 };

/** The price pages of the providers, as they stand. Nobody computes them from anything that charges. */
const PAGES: Readonly<Record<string, Row>> = {
  "openai gpt-4o-mini": { ...GPT_4O_MINI, search: 0.01, tiers: { priority: 1.7 } },
  "openai gpt-4o-mini-search-preview": { ...GPT_4O_MINI, search: 0.025 },
  "openai gpt-4o": { text: 2.5, cached: 1.25, output: 10, search: 0.01, tiers: { priority: 1.7 } },
  "openai gpt-4o-audio-preview": { text: 2.5, output: 10, audioIn: 40, audioOut: 80 },
  "openai gpt-5-mini": {
    text: 0.25,
    cached: 0.025,
    output: 2,
    search: 0.01,
    tiers: { flex: 0.5, priority: 1.8 },
  },
  "openai o3": {
    text: 2,
    cached: 0.5,
    output: 8,
    search: 0.01,
    session: 0.03,
    tiers: { flex: 0.5, priority: 1.75 },
  },
  "openai gpt-3.5-turbo-instruct": { text: 1.5, output: 2 },
  "openai text-embedding-3-small": { text: 0.02, output: 0 },
  "openai gpt-image-1": { text: 5, imageIn: 10, output: 40, imageOut: 40 },
  "openai tts-1": { text: 0, output: 0, character: 0.000_015 },
  "openai gpt-4o-mini-tts": { text: 0.6, output: 12, audioOut: 12 },
  "openai gpt-4o-transcribe": { text: 2.5, audioIn: 6, output: 10 },
  "openai whisper-1": { text: 0, output: 0, second: 0.0001 },
  "anthropic claude-sonnet-4-5": {
    ...SONNET,
    search: 0.01,
    above: { tokens: 200_000, rates: LONG_SONNET },
  },
  "anthropic claude-sonnet-4-0": { ...SONNET, above: { tokens: 200_000, rates: LONG_SONNET } },
  "anthropic claude-opus-4-6": {
    text: 5,
    cached: 0.5,
    written: 6.25,
    writtenForAnHour: 10,
    output: 25,
    tiers: { fast: 6, us: 1.1 },
  },
  "google gemini-2.5-pro": {
    text: 1.25,
    cached: 0.125,
    output: 10,
    above: { tokens: 200_000, rates: { text: 2.5, cached: 0.25, output: 15 } },
  },
  "google gemini-2.5-flash": { text: 0.3, cached: 0.03, audioIn: 1, output: 2.5 },
  "google gemini-2.5-flash-image": { text: 0.3, output: 2.5, imageOut: 30 },
  "google gemini-embedding-001": { text: 0.15, output: 0 },
  "aws global.anthropic.claude-sonnet-4-5-20250929-v1:0": SONNET,
  "aws amazon.nova-lite-v1:0": { text: 0.06, cached: 0.015, output: 0.24 },
  "aws amazon.titan-embed-text-v2:0": { text: 0.02, output: 0 },
  "cohere command-a-03-2025": { text: 2.5, output: 10 },
  "cohere embed-v4.0": { text: 0.12, output: 0 },
  "groq llama-3.1-8b-instant": { text: 0.05, output: 0.08 },
  "mistral mistral-large-latest": { text: 0.5, output: 1.5 },
  "openrouter openai/gpt-4o-mini": GPT_4O_MINI,
  "x-ai grok-4": {
    text: 3,
    cached: 0.75,
    output: 15,
    above: { tokens: 128_000, rates: { text: 6, cached: 0.75, output: 30 } },
  },
  "deepseek deepseek-chat": { text: 0.28, cached: 0.028, output: 0.42 },
  "perplexity sonar": { text: 1, output: 1, request: 0.005 },
  "cloudflare @cf/meta/llama-3.1-8b-instruct": { text: 0.282, output: 0.827 },
};

const NANOS = 1e9;
const MILLION = 1_000_000n;
const FACTOR = 1_000_000_000n;

const exact = (value: number): bigint => BigInt(Math.round(value * NANOS));

/** The bill of a call in nano-dollars. Part of one is billed as one. */
export function billOf(priced: string, billed: Billed): bigint {
  const row = PAGES[priced];
  if (row === undefined) throw new Error(`Nobody bills ${priced}.`);
  const factor = billed.tier === undefined ? 1 : row.tiers?.[billed.tier];
  if (factor === undefined) throw new Error(`${priced} has no tier ${billed.tier}.`);
  const tokens = tokensOf(row, billed) * exact(factor);
  const units =
    BigInt(billed.searches ?? 0) * exact(row.search ?? 0) +
    BigInt(billed.seconds ?? 0) * exact(row.second ?? 0) +
    BigInt(billed.characters ?? 0) * exact(row.character ?? 0) +
    BigInt(billed.sessions ?? 0) * exact(row.session ?? 0) +
    BigInt(billed.requests ?? 0) * exact(row.request ?? 0);
  return (tokens + MILLION * FACTOR - 1n) / (MILLION * FACTOR) + units;
}

function tokensOf(row: Row, billed: Billed): bigint {
  const { text = 0, cached = 0, written = 0, writtenForAnHour = 0, audioIn = 0, imageIn = 0 } = billed;
  const { output = 0, thoughts = 0, audioOut = 0, imageOut = 0, unseen = 0 } = billed;
  const input = inputOf(billed);
  const rates: TokenRates = row.above !== undefined && input > row.above.tokens ? row.above.rates : row;
  const lines: readonly (readonly [number, number])[] = [
    [text + unseen, rates.text],
    [cached, rates.cached ?? rates.text],
    [written, rates.written ?? rates.text],
    [writtenForAnHour, rates.writtenForAnHour ?? rates.text],
    [audioIn, rates.audioIn ?? rates.text],
    [imageIn, rates.imageIn ?? rates.text],
    [output + thoughts, rates.output],
    [audioOut, rates.audioOut ?? rates.output],
    [imageOut, rates.imageOut ?? rates.output],
  ];
  return lines.reduce((sum, [count, rate]) => sum + BigInt(count) * exact(rate), 0n);
}

/** All tokens that the model reads. */
export function inputOf(billed: Billed): number {
  const { text = 0, cached = 0, written = 0, writtenForAnHour = 0, audioIn = 0, imageIn = 0 } = billed;
  return text + cached + written + writtenForAnHour + audioIn + imageIn;
}

/** All tokens that the model writes. */
export function outputOf({ output = 0, thoughts = 0, audioOut = 0, imageOut = 0 }: Billed): number {
  return output + thoughts + audioOut + imageOut;
}

const dollars = (rate: number): string => rate.toFixed(9).replace(/0+$/, "").replace(/\.$/, "");

/** Rows with tiers that price books do not have, as an organization sets them for itself. */
export const SET_PRICES = Object.entries(PAGES).flatMap(
  ([priced, { tiers, text, output, cached, ...row }]) => {
    if (tiers === undefined) return [];
    const [provider = "", model = ""] = priced.split(" ");
    const price = {
      provider,
      input_usd_per_mtok: dollars(text),
      output_usd_per_mtok: dollars(output),
      cache_read_usd_per_mtok: dollars(cached ?? text),
      cache_write_usd_per_mtok: dollars(row.written ?? text),
      cache_write_1h_usd_per_mtok: dollars(row.writtenForAnHour ?? text),
      units: {
        web_search: dollars(row.search ?? 0),
        ...(row.session === undefined ? {} : { code_interpreter_session: dollars(row.session) }),
      },
      variants: Object.fromEntries(Object.entries(tiers).map(([name, factor]) => [name, dollars(factor)])),
    };
    return [{ model, price }];
  },
);
