import { Unmetered } from "../unmetered.ts";
import { isJsonObject, type JsonObject, objectOf } from "../json.ts";
import { refuseOtherSpellings } from "../body/strict-json.ts";
import type { Units } from "../provider-api.ts";
import { toolsIn } from "./request-members.ts";

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
export const PREVIEW_SEARCH = "web_search_preview";
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
/** Tools that a namespace may hold. All of them run where the caller is. */
const IN_NAMESPACES = new Set<unknown>(["function", "custom"]);
/** Containers of code interpreters, by their memory. Each is billed as a session, also if no code runs in it. */
export const SESSIONS: ReadonlyMap<unknown, string> = new Map([
  ["1g", "code_interpreter_session"],
  ["4g", "code_interpreter_session_4g"],
  ["16g", "code_interpreter_session_16g"],
  ["64g", "code_interpreter_session_64g"],
]);
const TOOL_MEMBERS: ReadonlySet<string> = new Set(["type", "container", "tools", "execution"]);
const CONTAINER_MEMBERS: ReadonlySet<string> = new Set(["memory_limit"]);
const ITEM_MEMBERS: ReadonlySet<string> = new Set(["type", "tools"]);

/** The types of hosted tools in a body. One whose price is not known is refused. */
export function hostedIn(body: JsonObject): string[] {
  const added = hostedAmong(addedTools(body["input"]));
  if (added.length > 0 && isStored(body))
    throw new Unmetered(
      403,
      'The input adds a tool that the provider runs. Send it in "tools" of the body, or send "store": false.',
    );
  const stored = hasStoredPrompt(body) ? [STORED_PROMPT] : [];
  return [...hostedAmong(toolsIn(body, TOOL_MEMBERS)), ...added, ...stored];
}

/** Stands for the tools of a prompt that the provider stores, which the body does not show. */
const STORED_PROMPT = "prompt";

export function hasStoredPrompt({ prompt }: JsonObject): boolean {
  return prompt !== undefined && prompt !== null;
}

/** All tools that a stored prompt may have, of each kind the one that costs more. What is charged is what the answer lists. */
export function unitsOfStored(calls: number): Units {
  return { [PREVIEW_SEARCH]: calls, file_search: calls, code_interpreter_session: 1 };
}

/** Models that are billed the same input for whatever a search finds. Their usage does not have it. */
const FIXED_SEARCH_INPUT = /^(?:ft:)?gpt-4(?:o|\.1)-mini/;

/** The input tokens that each search is billed beside those of the usage. The older tool has them in its price. */
export function searchTokensOf(model: string): number {
  return FIXED_SEARCH_INPUT.test(model) ? 8000 : 0;
}

/** Tools that the input adds stay in a conversation that the provider stores, where no later body shows them. */
function isStored({ store, conversation }: JsonObject): boolean {
  return store !== false || (conversation !== undefined && conversation !== null);
}

/** Items of the input can add tools to those of the body. */
function addedTools(input: unknown): unknown[] {
  return (Array.isArray(input) ? input.filter(isJsonObject) : []).flatMap((item) => {
    refuseOtherSpellings(Object.keys(item), ITEM_MEMBERS);
    // These only describe what a server of the Model Context Protocol has.
    return item["type"] === "mcp_list_tools" ? [] : toolsIn(item, TOOL_MEMBERS);
  });
}

function hostedAmong(tools: readonly unknown[]): string[] {
  return tools.flatMap((tool) => {
    const { type } = objectOf(tool);
    if (isClientTool(objectOf(tool))) return [];
    if (typeof type === "string" && Object.hasOwn(HOSTED_TOOLS, type)) return [type];
    const known = [...CLIENT_TOOLS, ...Object.keys(HOSTED_TOOLS)].join(", ");
    throw new Unmetered(
      403,
      `A tool has a type that is not metered by this proxy. It meters ${known}, namespace, and tool_search with "execution": "client".`,
    );
  });
}

function isClientTool(tool: JsonObject): boolean {
  return CLIENT_TOOLS.has(tool["type"]) || isClientSearch(tool) || isClientNamespace(tool);
}

/** The caller looks for tools itself. The price of a search by the provider is not known. */
function isClientSearch({ type, execution }: JsonObject): boolean {
  return type === "tool_search" && execution === "client";
}

function isClientNamespace(tool: JsonObject): boolean {
  if (tool["type"] !== "namespace") return false;
  const types = toolsIn(tool, TOOL_MEMBERS).map((one) => objectOf(one)["type"]);
  if (types.every((type) => IN_NAMESPACES.has(type))) return true;
  const known = [...IN_NAMESPACES].join(" and ");
  throw new Unmetered(403, `A namespace has a tool that is not metered by this proxy. It meters ${known}.`);
}

/** All hosted tools share the bound. Where an answer may search by both tools, all are taken for the one that costs more. */
export function unitsOf(hosted: readonly string[], calls: number): Units {
  const named = hosted.map((type) => HOSTED_TOOLS[type]).filter((unit) => typeof unit === "string");
  const units = named.includes(PREVIEW_SEARCH) ? named.filter((unit) => unit !== "web_search") : named;
  return Object.fromEntries(units.map((unit) => [unit, calls]));
}

/** A container that exists was billed when it began, and may have to begin anew. */
export function sessionsIn(body: JsonObject): Units {
  const units: Record<string, number> = {};
  for (const tool of [...toolsIn(body, TOOL_MEMBERS), ...addedTools(body["input"])]) {
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
