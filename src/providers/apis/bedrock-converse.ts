import { seenInput } from "../body/input-bound.ts";
import { refuseUnlisted } from "../body/strict-json.ts";
import { isJsonObject, type JsonObject, objectOf } from "../json.ts";
import type {
  AnswerFacts,
  EventFacts,
  MeteredRequest,
  ProviderApi,
  RequestContext,
} from "../provider-api.ts";
import { Unmetered } from "../unmetered.ts";
import { bedrockUsage } from "../usage/bedrock-usage.ts";
import { bedrockError } from "../wire-refusal.ts";
import { BEDROCK_HEADERS, calledModel } from "./bedrock-call.ts";
import { bedrockInput } from "./bedrock-input.ts";
import {
  readHighestBound,
  modelIn,
  PLAIN,
  refuseLongCache,
  tierIn,
  tierOf,
  refuseHostedKinds,
} from "./request-members.ts";

/** A member that is not among them may be billed beside tokens, as a guardrail is, so it is refused. */
const MEMBERS: ReadonlySet<string> = new Set([
  "messages",
  "system",
  "inferenceConfig",
  "toolConfig",
  "additionalModelRequestFields",
  "additionalModelResponseFieldPaths",
  "requestMetadata",
  "performanceConfig",
  "serviceTier",
  "outputConfig",
]);
const CONFIG: ReadonlySet<string> = new Set(["maxTokens", "temperature", "topP", "stopSequences"]);
/** Members of a model's own request by which it thinks. Its thoughts are billed, and may not be shown. */
const THINKING = ["thinking", "reasoning_config", "reasoningConfig", "reasoning_effort"] as const;
/**
 * The members that a model's own request may have. Another name could be one of its bounds, or a tool that is billed.
 */
const OWN_FIELDS: ReadonlySet<string> = new Set(["top_k", "topK", ...THINKING]);

/** `POST /model/{model}/converse`. */
export const bedrockConverse = converseApi({ isStream: false });

/** `POST /model/{model}/converse-stream`. */
export const bedrockConverseStream = converseApi({ isStream: true });

function converseApi({ isStream }: { readonly isStream: boolean }): ProviderApi {
  return {
    name: "converse",
    body: "json",
    members: MEMBERS,
    ownHeaders: BEDROCK_HEADERS,
    answerMembers: ["usage", "serviceTier", "performanceConfig"],
    readRequest: (body, context) => readConverse(body, context, isStream),
    withBounds(body, { maxOutputTokens }) {
      if (maxOutputTokens === null) return body;
      return {
        ...body,
        inferenceConfig: { ...objectOf(body["inferenceConfig"]), maxTokens: maxOutputTokens },
      };
    },
    readAnswer: converseAnswer,
    readEvent: isStream ? converseEvent : null,
    errorBody: bedrockError,
  };
}

function readConverse(body: JsonObject, context: RequestContext, isStream: boolean): MeteredRequest {
  const model = modelIn(body, calledModel(context));
  refuseHostedKinds(objectOf(body["toolConfig"])["tools"], CLIENT_TOOLS, HOSTED_TOOLS);
  const config = objectOf(body["inferenceConfig"]);
  refuseUnlisted(config, CONFIG);
  const own = objectOf(body["additionalModelRequestFields"]);
  refuseUnlisted(own, OWN_FIELDS);
  const { reasons, pictureTokens } = context.facts(model);
  const { tokens, unseen, isCostly, hasLongCache, texts } = seenInput(bedrockInput(body), pictureTokens);
  refuseLongCache(hasLongCache);
  const thinks = THINKING.some((name) => own[name] !== undefined && own[name] !== null);
  return {
    ...PLAIN,
    model,
    isStream,
    inputTokens: tokens,
    unseenInput: unseen,
    hasCostlyInput: isCostly,
    outputBound: { perAnswer: readHighestBound(config, ["maxTokens"]), usualPerAnswer: null, answers: 1 },
    hidesOutput: reasons || thinks || objectOf(body["outputConfig"])["effort"] !== undefined,
    variant: variantIn(body),
    texts,
  };
}

/** Tools that the caller runs, and marks of what is to be cached. */
const CLIENT_TOOLS = new Set(["toolSpec", "cachePoint"]);

const HOSTED_TOOLS =
  'Only tools with a "toolSpec" are metered by this proxy. Those of Bedrock bill what the call does not say.';

/** A tier, and a latency below the usual one, have prices of their own. */
function variantIn({ serviceTier, performanceConfig }: JsonObject): string | null {
  const tier = tierIn(objectOf(serviceTier)["type"]);
  const latency = tierIn(objectOf(performanceConfig)["latency"]);
  if (tier !== null && latency !== null)
    throw new Unmetered(403, `${tier} with ${latency} has no price of its own. Send one of them.`);
  return tier ?? latency;
}

function converseAnswer({ usage, serviceTier, performanceConfig }: JsonObject): AnswerFacts {
  const latency = tierOf(objectOf(performanceConfig)["latency"]);
  const faster = latency === "standard" ? null : latency;
  return {
    usage: bedrockUsage(usage),
    hidesInputClasses: !("cacheWriteInputTokens" in objectOf(usage)),
    units: null,
    variant: faster ?? tierOf(objectOf(serviceTier)["type"]) ?? latency,
    costUsd: null,
  };
}

/** The pieces of an answer that have no text to count. */
const COUNTED = new Set(["text", "toolUse", "toolResult", "reasoningContent", "citation"]);

/** An event of the stream, under the name of its type. */
function converseEvent(event: JsonObject): EventFacts {
  const { contentBlockStart, contentBlockDelta, metadata, exception } = event;
  const { delta } = objectOf(contentBlockDelta);
  const { usage, serviceTier, performanceConfig } = objectOf(metadata);
  return {
    usage,
    isWholeUsage: isJsonObject(usage),
    text: [delta, objectOf(contentBlockStart)["start"]],
    isUncounted: Object.keys(objectOf(delta)).some((name) => !COUNTED.has(name)),
    // The usage comes after everything else.
    isLast: isJsonObject(usage),
    hasFailed: isJsonObject(exception),
    answer: isJsonObject(metadata) ? { serviceTier, performanceConfig } : undefined,
  };
}
