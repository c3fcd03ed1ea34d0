import { Unmetered } from "../unmetered.ts";
import { isJsonObject, type JsonObject, objectOf } from "../json.ts";
import { seenInput } from "../body/input-bound.ts";
import { refuseUnlisted } from "../body/strict-json.ts";
import { countOf } from "../usage/counts.ts";
import { HOST_MEMBERS, OPENAI_CHAT_MEMBERS } from "./chat-members.ts";
import { openAiUsageFacts } from "../usage/openai-usage.ts";
import type {
  AnswerFacts,
  EventFacts,
  MeteredRequest,
  ProviderApi,
  RequestContext,
  Units,
} from "../provider-api.ts";
import { openAiError } from "../wire-refusal.ts";
import {
  answersIn,
  readHighestBound,
  flagIn,
  memberIn,
  modelIn,
  PLAIN,
  refuseLongCache,
  tierIn,
  tierOf,
  toolsIn,
  usualToolCalls,
} from "./request-members.ts";

/** Headers of OpenAI's SDKs. Those that name an account are dropped. */
export const OPENAI_HEADERS: ReadonlySet<string> = new Set(["openai-beta", "openai-safety-identifier"]);
const BOUNDS = ["max_tokens", "max_completion_tokens"] as const;
const CLIENT_TOOLS = new Set<unknown>(["function", "custom"]);
const TOOL_MEMBERS: ReadonlySet<string> = new Set(["type"]);
const STREAM_OPTIONS: ReadonlySet<string> = new Set([
  "include_usage",
  "include_obfuscation",
  "continuous_usage_stats",
]);
/** Another member may choose a search that costs more. */
const SEARCH_OPTIONS: ReadonlySet<string> = new Set([
  "search_context_size",
  "user_location",
  "filters",
  "image_results_enhanced_relevance",
]);

/** How a host serves the API. */
interface ChatTerms {
  /** The name that it has for the bound on the output. */
  readonly bound: (typeof BOUNDS)[number];
  /**
   * True if a bound of the caller's goes on under the name that it came with. A host that knows one name ignores the
   * other.
   */
  readonly knowsBothBounds: boolean;
  /** True if a stream tells its usage only if it is asked to. Others always tell it, and some refuse the question. */
  readonly asksForUsage: boolean;
  /** Members that it reads beside those of OpenAI. */
  readonly members: readonly string[];
  /** Models that do so by themselves. */
  readonly notMeteredModels: RegExp | null;
  /** True if sound has prices of its own, and the usage tells it from text. Otherwise it is refused. */
  readonly pricesSound: boolean;
  /** True if the price of a call has its search in it. Otherwise each search is a unit. */
  readonly pricesSearch: boolean;
}

const USUAL_TERMS: ChatTerms = {
  bound: "max_tokens",
  knowsBothBounds: false,
  asksForUsage: true,
  members: HOST_MEMBERS,
  notMeteredModels: null,
  pricesSound: false,
  pricesSearch: false,
};

/** `POST /v1/chat/completions`. */
export const openAiChat = chatApi({
  bound: "max_completion_tokens",
  knowsBothBounds: true,
  members: [],
  pricesSound: true,
});

/** The API at a host that is compatible with it. Most know the older name of the bound. */
export function chatApi(differences: Partial<ChatTerms> = {}): ProviderApi {
  const terms = { ...USUAL_TERMS, ...differences };
  return withoutModels(terms.notMeteredModels, {
    name: "chat",
    body: "json",
    members: new Set([...OPENAI_CHAT_MEMBERS, ...terms.members]),
    ownHeaders: OPENAI_HEADERS,
    answerMembers: ["usage", "service_tier"],
    readRequest: (body, context) => readChat(body, context, terms),
    withBounds(body, { maxOutputTokens }) {
      const bounded = withBound(body, terms, maxOutputTokens);
      return terms.asksForUsage ? withStreamUsage(bounded) : bounded;
    },
    readAnswer: chatAnswer,
    readEvent: chatEvent,
    errorBody: openAiError,
  });
}

/** An API of a host that reads more members than OpenAI's. */
export function withMembers(api: ProviderApi, members: readonly string[]): ProviderApi {
  return { ...api, members: new Set([...api.members, ...members]) };
}

/** An API of a host, without models that do by themselves what is billed beside their price. */
export function withoutModels(notMetered: RegExp | null, api: ProviderApi): ProviderApi {
  return {
    ...api,
    readRequest(body, context) {
      const request = api.readRequest(body, context);
      if (notMetered?.test(request.model) === true)
        throw new Unmetered(
          403,
          `${request.model} does more than its price says, so it is not metered here.`,
        );
      return request;
    },
  };
}

/** OpenAI's own, at whichever host. Whoever passes calls on to them knows both names, and the newer of them take one alone. */
const OPENAI_MODEL = /(?:^|\/)(?:o\d|gpt-\d|chatgpt-)/;

/** The body with one bound, under a name that the host knows. */
function withBound(body: JsonObject, { bound, knowsBothBounds }: ChatTerms, ours: number | null): JsonObject {
  const given = memberIn(body, BOUNDS);
  const { model } = body;
  const isOpenAis = typeof model === "string" && OPENAI_MODEL.test(model);
  if (knowsBothBounds || isOpenAis) return ours === null ? body : { ...body, [given ?? bound]: ours };
  const most = ours ?? readHighestBound(body, BOUNDS);
  const { max_tokens: _, max_completion_tokens: __, ...others } = body;
  return most === null ? others : { ...others, [bound]: most };
}

function readChat(
  body: JsonObject,
  context: RequestContext,
  { asksForUsage, pricesSearch, pricesSound }: ChatTerms,
): MeteredRequest {
  const { pathModel, facts } = context;
  refuseHostedTools(toolsIn(body, TOOL_MEMBERS));
  refuseUnlisted(objectOf(body["stream_options"]), STREAM_OPTIONS);
  refuseUnlisted(objectOf(body["web_search_options"]), SEARCH_OPTIONS);
  const model = modelIn(body, pathModel);
  const { reasons, pictureTokens } = facts(model);
  const { tokens, unseen, isCostly, hasLongCache, hasSound, texts } = seenInput(body, pictureTokens);
  refuseLongCache(hasLongCache);
  const speaks = isMoreThanText(body);
  if ((hasSound || speaks) && !pricesSound)
    throw new Unmetered(
      403,
      "Only text and pictures are metered here: sound and films have prices of their own.",
    );
  const answers = answersIn(body, ["n"]);
  const { prediction } = body;
  const searches = pricesSearch ? 0 : searchesIn(body, model, reasons ? usualToolCalls(context) : 1);
  return {
    ...PLAIN,
    model,
    isStream: flagIn(body, "stream"),
    inputTokens: tokens,
    // The model also reads what a search found.
    unseenInput: unseen ?? (searches > 0 ? "web_search_options" : null),
    passes: passesFor(searches, model),
    hasCostlyInput: isCostly,
    hasCostlyOutput: speaks,
    outputBound: { perAnswer: readHighestBound(body, BOUNDS), usualPerAnswer: null, answers },
    // Predicted text that the model did not write is billed as output.
    fixedOutputTokens: isJsonObject(prediction) ? seenInput(prediction, 0).tokens : 0,
    // Sound has a rate of its own, and nobody can count it.
    hidesOutput: reasons || speaks || memberIn(body, ["reasoning_effort", "reasoning"]) !== undefined,
    units: searches > 0 ? { web_search: searches * answers } : {},
    variant: tierIn(body["service_tier"]),
    showsUsageEvent: !asksForUsage || objectOf(body["stream_options"])["include_usage"] === true,
    texts,
  };
}

/** Returns whether a body asks for answers that are more than text. */
function isMoreThanText({ audio, modalities }: JsonObject): boolean {
  const list: unknown[] = Array.isArray(modalities) ? modalities : [modalities ?? "text"];
  return isJsonObject(audio) || list.some((one) => one !== "text");
}

/** Models that search for every answer, and those that search for as long as they think. */
const SEARCHING = /(?:^|[-/])search(?:-|$)/;
const RESEARCHING = /deep-research/;
/** The number of searches of a model that researches: no request can bound it. */
const RESEARCH_SEARCHES = 100;

/** A model that reasons may search more than once for an answer. */
function searchesIn(body: JsonObject, model: string, usual: number): number {
  if (RESEARCHING.test(model)) return RESEARCH_SEARCHES;
  return memberIn(body, ["web_search_options"]) !== undefined || SEARCHING.test(model) ? usual : 0;
}

/** A model that searches once does so before it begins. For one that researches, nothing is known of its passes. */
function passesFor(searches: number, model: string): number {
  return searches > 1 && !RESEARCHING.test(model) ? searches + 1 : 1;
}

function refuseHostedTools(tools: readonly unknown[]): void {
  if (tools.every((tool) => CLIENT_TOOLS.has(objectOf(tool)["type"]))) return;
  throw new Unmetered(403, 'Only tools of the types "function" and "custom" are metered by this proxy.');
}

/** Asks for the usage at the end of a stream, which is the only place where it is told. */
export function withStreamUsage(body: JsonObject): JsonObject {
  if (body["stream"] !== true) return body;
  return { ...body, stream_options: { ...objectOf(body["stream_options"]), include_usage: true } };
}

/** Reads the usage of an answer, also of completions. */
export function chatAnswer({ usage, service_tier: tier }: JsonObject): AnswerFacts {
  return { ...openAiUsageFacts(usage), units: unitsIn(usage), variant: tierOf(tier), costUsd: costIn(usage) };
}

/** Perplexity tells how often it searched. Null if the usage does not say. */
function unitsIn(usage: unknown): Units | null {
  const searches = countOf(objectOf(usage)["num_search_queries"]);
  return searches === null ? null : { web_search: searches };
}

/** OpenRouter tells what it bills. Rounded up to nano-dollars, so that nothing is lost. */
export function costIn(usage: unknown): string | null {
  const { cost } = objectOf(usage);
  if (typeof cost !== "number" || !Number.isFinite(cost) || cost < 0 || cost > 1e6) return null;
  return (Math.ceil(cost * 1e9) / 1e9).toFixed(9);
}

/** Reads an event of a stream, also of completions. */
export function chatEvent({ choices, usage, error, service_tier }: JsonObject): EventFacts {
  const list = Array.isArray(choices) ? choices : [];
  const hasUsage = isJsonObject(usage);
  const isUsageEvent = hasUsage && list.length === 0;
  return {
    usage,
    isWholeUsage: hasUsage,
    text: list.map((choice) => objectOf(choice)["delta"] ?? objectOf(choice)["text"]),
    // Sound has a rate of its own.
    isUncounted: list.some((choice) => isJsonObject(objectOf(objectOf(choice)["delta"])["audio"])),
    isLast: isUsageEvent,
    hasFailed: isJsonObject(error),
    isUsageEvent,
    answer: typeof service_tier === "string" ? { service_tier } : undefined,
  };
}
