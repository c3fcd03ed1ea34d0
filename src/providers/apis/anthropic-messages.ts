import { Unmetered } from "../unmetered.ts";
import { isJsonObject, type JsonObject, objectOf } from "../json.ts";
import { seenInput } from "../body/input-bound.ts";
import { anthropicUnits, anthropicUsage, hidesCaches } from "../usage/anthropic-usage.ts";
import type { AnswerFacts, Bounds, EventFacts, ProviderApi, Units } from "../provider-api.ts";
import { anthropicError } from "../wire-refusal.ts";
import {
  readHighestBound,
  flagIn,
  modelIn,
  PLAIN,
  tierIn,
  tierOf,
  toolsIn,
  usualToolCalls,
  wholeNumberIn,
} from "./request-members.ts";

/** Tools that run where the caller is. The date of their version follows. */
const CLIENT_TOOL = /^(?:custom|(?:computer|bash|text_editor|memory)_\d{8}|tool_search_tool_\w+)$/;
const WEB_SEARCH = /^web_search_\d{8}$/;
/** This tool brings tokens, and is not billed beside them. */
const WEB_FETCH = /^web_fetch_\d{8}$/;
const MOST_USES = 1000;
const TOOL_MEMBERS: ReadonlySet<string> = new Set(["type", "max_uses"]);

/** `POST /v1/messages`. */
export const anthropicMessages: ProviderApi = {
  name: "messages",
  body: "json",
  members: new Set([
    "model",
    "messages",
    "system",
    "stream",
    "max_tokens",
    "tools",
    "tool_choice",
    "thinking",
    "temperature",
    "top_k",
    "top_p",
    "stop_sequences",
    "metadata",
    "output_config",
    "output_format",
    "cache_control",
    "service_tier",
    "speed",
    "inference_geo",
    "container",
    "mcp_servers",
    "context_management",
    "diagnostics",
    "user_profile_id",
  ]),
  queryNames: new Set(["beta"]),
  ownHeaders: new Set([
    "anthropic-version",
    "anthropic-beta",
    "anthropic-user-profile-id",
    "anthropic-client-platform",
    "anthropic-dangerous-direct-browser-access",
  ]),
  answerMembers: ["usage"],
  readRequest(body, context) {
    const { pathModel, facts } = context;
    const model = modelIn(body, pathModel);
    const { reasons, pictureTokens } = facts(model);
    const { tokens, unseen, isCostly, texts } = seenInput(body, pictureTokens);
    const { thinking } = body;
    refuseCompaction(body["context_management"]);
    const hosted = hostedIn(toolsIn(body, TOOL_MEMBERS), context);
    return {
      ...PLAIN,
      model,
      isStream: flagIn(body, "stream"),
      inputTokens: tokens,
      // The model also reads what hosted tools found.
      unseenInput: unseen ?? hosted[0]?.type ?? null,
      passes: 1 + usesOf(hosted) + usesOfServers(body, context),
      hasCostlyInput: isCostly,
      outputBound: { perAnswer: readHighestBound(body, ["max_tokens"]), usualPerAnswer: null, answers: 1 },
      // The model's thoughts are billed whole and shown as a summary.
      hidesOutput: reasons || (isJsonObject(thinking) && thinking["type"] !== "disabled"),
      units: searchesOf(hosted),
      variant: variantIn(body),
      texts,
    };
  },
  withBounds(body, bounds) {
    const { maxOutputTokens } = bounds;
    const { tools } = body;
    const bounded = Array.isArray(tools) ? { tools: tools.map((tool) => boundedTool(tool, bounds)) } : {};
    return { ...body, ...bounded, ...(maxOutputTokens === null ? {} : { max_tokens: maxOutputTokens }) };
  },
  readAnswer: messagesAnswer,
  readEvent: messagesEvent,
  errorBody: anthropicError,
};

interface HostedTool {
  readonly type: string;
  /** How often it may be called. */
  readonly uses: number;
}

type Passes = Pick<Bounds, "hostedToolPasses">;

/** Edits that only leave something out. A compaction is one more answer, which the usage tells apart from the others. */
const LEAVES_OUT = /^clear_(?:tool_uses|thinking)_\d{8}$/;

function refuseCompaction(management: unknown): void {
  if (management === undefined || management === null) return;
  const { edits } = objectOf(management);
  const list: unknown[] = Array.isArray(edits) ? edits : [edits];
  if (list.every((edit) => LEAVES_OUT.test(String(objectOf(edit)["type"])))) return;
  throw new Unmetered(
    403,
    'Of "context_management", only edits that clear tool uses or thinking are metered.',
  );
}

function hostedIn(tools: readonly unknown[], passes: Passes): HostedTool[] {
  return tools.flatMap((tool) => {
    const { type } = objectOf(tool);
    if (type === undefined || type === null || (typeof type === "string" && CLIENT_TOOL.test(type)))
      return [];
    if (isHosted(type)) return [{ type, uses: usesIn(objectOf(tool), passes) }];
    throw new Unmetered(
      403,
      "A tool has a type that is not metered by this proxy. It meters tools that the caller runs, web_search and web_fetch.",
    );
  });
}

function isHosted(type: unknown): type is string {
  return typeof type === "string" && (WEB_SEARCH.test(type) || WEB_FETCH.test(type));
}

function usesIn(tool: JsonObject, passes: Passes): number {
  return wholeNumberIn(tool, "max_uses", MOST_USES) ?? usualToolCalls(passes);
}

function usesOf(hosted: readonly HostedTool[]): number {
  return hosted.reduce((sum, tool) => sum + tool.uses, 0);
}

/** Nothing in a request bounds how often the tools of MCP servers are called. */
function usesOfServers({ mcp_servers: servers }: JsonObject, passes: Passes): number {
  return Array.isArray(servers) && servers.length > 0 ? usualToolCalls(passes) : 0;
}

function searchesOf(hosted: readonly HostedTool[]): Units {
  const searches = usesOf(hosted.filter(({ type }) => WEB_SEARCH.test(type)));
  return searches > 0 ? { web_search: searches } : {};
}

function boundedTool(tool: unknown, passes: Passes): unknown {
  if (!isHosted(objectOf(tool)["type"])) return tool;
  return { ...objectOf(tool), max_uses: usesIn(objectOf(tool), passes) };
}

/** A request that is faster, or that stays in one country, has a price of its own. */
function variantIn({ service_tier, speed, inference_geo: geo }: JsonObject): string | null {
  const variants = [
    tierIn(service_tier),
    speed === undefined || speed === null || speed === "standard" ? null : tierIn(speed),
    geo === undefined || geo === null || geo === "global" ? null : tierIn(geo),
  ].filter((variant) => variant !== null);
  if (variants.length > 1)
    throw new Unmetered(403, `${variants.join(" with ")} has no price of its own. Send one of them.`);
  return variants[0] ?? null;
}

/** Where a request was served that need not stay in one country. Older models do not say it. */
const ANYWHERE = new Set<unknown>(["global", "not_available"]);

function messagesAnswer({ usage }: JsonObject): AnswerFacts {
  const { service_tier, speed, inference_geo: geo } = objectOf(usage);
  const faster = typeof speed === "string" && speed !== "standard" ? tierOf(speed) : null;
  const oneCountry = ANYWHERE.has(geo) ? null : tierOf(geo);
  return {
    usage: anthropicUsage(usage),
    hidesInputClasses: hidesCaches(usage),
    units: anthropicUnits(usage),
    variant: faster ?? oneCountry ?? tierOf(service_tier),
    costUsd: null,
  };
}

function messagesEvent({ type, delta, message, usage, error, content_block: block }: JsonObject): EventFacts {
  return {
    // It grows from the first event to the last.
    usage: usage ?? objectOf(message)["usage"],
    isWholeUsage: type === "message_delta",
    text: [delta, block],
    isLast: type === "message_stop",
    hasFailed: isJsonObject(error),
  };
}
