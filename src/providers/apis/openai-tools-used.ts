import { type JsonObject, objectOf } from "../json.ts";
import type { Units } from "../provider-api.ts";
import { countOf } from "../usage/counts.ts";
import { PREVIEW_SEARCH, SESSIONS } from "./openai-tools.ts";

/** What a search tool does beside searching. It is not billed. */
const UNBILLED_ACTIONS = new Set<unknown>(["open_page", "find_in_page", "find"]);

/** What an answer says that its tools were used for. Null if its items were too large to be read. */
export function unitsUsed({ output, tools, tool_usage: told }: JsonObject): Units | null {
  const listed = Array.isArray(tools) ? tools.map(objectOf) : [];
  const searches = countOf(objectOf(objectOf(told)["web_search"])["num_requests"]);
  if (!Array.isArray(output)) return null;
  const items = output.map(objectOf);
  const ofType = (type: string) => items.filter((item) => item["type"] === type);
  const counted = ofType("web_search_call").filter(
    ({ action }) => !UNBILLED_ACTIONS.has(objectOf(action)["type"]),
  ).length;
  const units = {
    [searchUnitOf(listed)]: searches ?? counted,
    file_search: ofType("file_search_call").length,
    ...(ofType("code_interpreter_call").length > 0 ? sessionsOf(listed) : {}),
  };
  return Object.fromEntries(Object.entries(units).filter(([, count]) => count > 0));
}

/** The older tool has a price of its own. */
function searchUnitOf(tools: readonly JsonObject[]): string {
  const types = tools.map(({ type }) => String(type));
  return types.some((type) => type.startsWith(PREVIEW_SEARCH)) ? PREVIEW_SEARCH : "web_search";
}

/** The containers of an answer in which code ran, by their size. */
function sessionsOf(tools: readonly JsonObject[]): Record<string, number> {
  const units: Record<string, number> = {};
  for (const { type, container } of tools) {
    if (type !== "code_interpreter") continue;
    const unit = SESSIONS.get(objectOf(container)["memory_limit"] ?? "1g");
    if (unit !== undefined) units[unit] = (units[unit] ?? 0) + 1;
  }
  return units;
}
