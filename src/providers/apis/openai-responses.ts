import { Unmetered } from "../unmetered.ts";
import { type JsonObject, objectOf } from "../json.ts";
import { seenInput } from "../body/input-bound.ts";
import { refuseOtherSpellings } from "../body/strict-json.ts";
import { openAiUsage } from "../usage/openai-usage.ts";
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
  boundIn,
  flagIn,
  memberIn,
  modelIn,
  PLAIN,
  refuseMembers,
  tierIn,
  tierOf,
  toolsIn,
  wholeNumberIn,
} from "./request-members.ts";

/** Tools that run where the caller is. */
const CLIENT_TOOLS = new Set<unknown>([
  "function",
  "custom",
  "local_shell",
  "apply_patch",
  "computer_use_preview",
  "computer",
]);
/** Searches of the older tool have a price of their own, and the same name in answers. */
const PREVIEW_SEARCH = "web_search_preview";
/** Tools that the provider runs, by the unit in which it bills their calls. Null: not by the call. */
const HOSTED_TOOLS: Readonly<Record<string, string | null>> = {
  web_search: "web_search",
  web_search_preview: PREVIEW_SEARCH,
  web_search_2025_08_26: "web_search",
  web_search_preview_2025_03_11: PREVIEW_SEARCH,
  file_search: "file_search",
  code_interpreter: null,
  mcp: null,
};
/** Containers of code interpreters, by their memory. Each is billed as a session, also if no code runs in it. */
const SESSIONS: ReadonlyMap<unknown, string> = new Map([
  ["1g", "code_interpreter_session"],
  ["4g", "code_interpreter_session_4g"],
  ["16g", "code_interpreter_session_16g"],
  ["64g", "code_interpreter_session_64g"],
]);
const TOOL_MEMBERS: ReadonlySet<string> = new Set(["type", "container"]);
const CONTAINER_MEMBERS: ReadonlySet<string> = new Set(["memory_limit"]);
/** With these, the provider would do work beside the answer that its usage may not tell. */
const NOT_METERED = ["context_management"] as const;
/** The items of an answer that stand for a billed call. */
const BILLED_ITEMS: Readonly<Record<string, string>> = {
  web_search_call: "web_search",
  file_search_call: "file_search",
};
/** How often the provider may call hosted tools in one answer, where the caller does not say. */
const USUAL_TOOL_CALLS = 16;
const MOST_TOOL_CALLS = 1000;

/** `POST /v1/responses`. */
export const openAiResponses: ProviderApi = {
  name: "responses",
  body: "json",
  members: new Set([
    "model",
    "input",
    "instructions",
    "stream",
    "max_output_tokens",
    "max_tool_calls",
    "tools",
    "background",
    "service_tier",
    "previous_response_id",
    "conversation",
    "prompt",
    "reasoning",
    ...NOT_METERED,
  ]),
  answerMembers: ["usage", "service_tier", "output"],
  readRequest: readResponses,
  withBounds(body, { maxOutputTokens }) {
    const bound = maxOutputTokens === null ? {} : { max_output_tokens: maxOutputTokens };
    const tools = hostedIn(body).length === 0 ? {} : { max_tool_calls: toolCallsIn(body) };
    return { ...body, ...bound, ...tools };
  },
  readAnswer: responsesAnswer,
  readEvent: responsesEvent,
  errorBody: openAiError,
};

/** `POST /v1/responses/compact`: the model writes a summary of the input, and nothing sets a bound on it. */
export const openAiCompaction: ProviderApi = {
  ...openAiResponses,
  name: "compaction",
  readRequest(body, context) {
    const request = readResponses(body, context);
    const { outputTokens } = context.facts(request.model);
    return {
      ...request,
      isStream: false,
      outputBound: null,
      fixedOutputTokens: outputTokens,
      hidesOutput: true,
    };
  },
  withBounds: (body) => body,
};

function readResponses(body: JsonObject, { pathModel, facts }: RequestContext): MeteredRequest {
  refuseMembers(body, NOT_METERED);
  const model = modelIn(body, pathModel);
  const { reasons, pictureTokens } = facts(model);
  const { tokens, unseen, isCostly, texts } = seenInput(body, pictureTokens);
  const hosted = hostedIn(body);
  const startedUnits = sessionsIn(body);
  const units = unitsOf(hosted, toolCallsIn(body));
  return {
    ...PLAIN,
    model,
    isStream: flagIn(body, "stream"),
    inputTokens: tokens,
    // The model also reads what hosted tools found.
    unseenInput: unseen ?? hosted[0] ?? null,
    hasCostlyInput: isCostly,
    outputBound: { perAnswer: boundIn(body, ["max_output_tokens"]), usualPerAnswer: null, answers: 1 },
    hidesOutput: reasons || memberIn(body, ["reasoning"]) !== undefined,
    units: { ...units, ...startedUnits },
    startedUnits,
    billedAs: PREVIEW_SEARCH in units ? { web_search: PREVIEW_SEARCH } : {},
    variant: tierIn(body["service_tier"]),
    isBackground: flagIn(body, "background"),
    texts,
  };
}

/** The types of hosted tools in a body. One whose price is not known is refused. */
function hostedIn(body: JsonObject): string[] {
  const types = toolsIn(body, TOOL_MEMBERS).map((tool) => objectOf(tool)["type"]);
  return types.flatMap((type) => {
    if (CLIENT_TOOLS.has(type)) return [];
    if (typeof type === "string" && Object.hasOwn(HOSTED_TOOLS, type)) return [type];
    const known = [...CLIENT_TOOLS, ...Object.keys(HOSTED_TOOLS)].join(", ");
    throw new Unmetered(403, `A tool has a type that is not metered by this proxy. It meters ${known}.`);
  });
}

function toolCallsIn(body: JsonObject): number {
  return wholeNumberIn(body, "max_tool_calls", MOST_TOOL_CALLS) ?? USUAL_TOOL_CALLS;
}

/** All hosted tools share the bound. Where an answer may search by both tools, all are taken for the one that costs more. */
function unitsOf(hosted: readonly string[], calls: number): Units {
  const named = hosted.map((type) => HOSTED_TOOLS[type]).filter((unit) => typeof unit === "string");
  const units = named.includes(PREVIEW_SEARCH) ? named.filter((unit) => unit !== "web_search") : named;
  return Object.fromEntries(units.map((unit) => [unit, calls]));
}

/** A container that exists was billed when it began, and may have to begin anew. */
function sessionsIn({ tools }: JsonObject): Units {
  const units: Record<string, number> = {};
  for (const tool of Array.isArray(tools) ? tools : []) {
    const { type, container } = objectOf(tool);
    if (type !== "code_interpreter") continue;
    refuseOtherSpellings(Object.keys(objectOf(container)), CONTAINER_MEMBERS);
    const { memory_limit: memory = null } = objectOf(container);
    const unit = SESSIONS.get(memory ?? "1g");
    if (unit === undefined)
      throw new Unmetered(403, `"memory_limit" must be one of ${[...SESSIONS.keys()].join(", ")}.`);
    units[unit] = (units[unit] ?? 0) + 1;
  }
  return units;
}

function responsesAnswer({ usage, service_tier: tier, output }: JsonObject): AnswerFacts {
  return { usage: openAiUsage(usage), units: unitsIn(output), variant: tierOf(tier), costUsd: null };
}

/** Null: the items were too large to be read. */
function unitsIn(output: unknown): Units | null {
  if (!Array.isArray(output)) return null;
  const units: Record<string, number> = {};
  for (const item of output) {
    const unit = BILLED_ITEMS[String(objectOf(item)["type"])];
    if (unit !== undefined) units[unit] = (units[unit] ?? 0) + 1;
  }
  return units;
}

const LAST_EVENTS = new Set<unknown>(["response.completed", "response.incomplete", "response.failed"]);

function responsesEvent({ type, delta, item, response, error }: JsonObject): EventFacts {
  const isLast = LAST_EVENTS.has(type);
  const { usage, service_tier, output } = objectOf(response);
  return {
    usage,
    isWholeUsage: isLast,
    // An item begins with the name of the function that it calls.
    text: [delta, type === "response.output_item.added" ? item : undefined],
    isLast,
    hasFailed:
      type === "response.failed" || type === "error" || (typeof error === "object" && error !== null),
    answer: isLast ? { service_tier, output } : undefined,
  };
}
