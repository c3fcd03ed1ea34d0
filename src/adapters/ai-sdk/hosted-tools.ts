import { wholeNumberIn } from "../../providers/apis/request-members.ts";
import { type JsonObject, objectOf } from "../../providers/json.ts";
import type { Units } from "../../providers/provider-api.ts";
import { Unmetered } from "../../providers/unmetered.ts";

/** The bound on the calls of a tool: an argument of it, an option of the whole call, or nothing that the SDK can set. */
type ToolBound = "maxUses" | "maxToolCalls" | "none";

interface HostedTool {
  readonly id: RegExp;
  /** The unit in which its calls are billed. Null: they are not. */
  readonly unit: string | null;
  readonly bound: ToolBound;
}

/** Tools that the provider runs, by their ids in the SDK. */
const HOSTED_TOOLS: readonly HostedTool[] = [
  { id: /^anthropic\.web_search_\d+$/, unit: "web_search", bound: "maxUses" },
  { id: /^(?:openai|azure)\.web_search_preview$/, unit: "web_search_preview", bound: "maxToolCalls" },
  { id: /^(?:openai|azure)\.web_search$/, unit: "web_search", bound: "maxToolCalls" },
  { id: /^(?:openai|azure)\.file_search$/, unit: "file_search", bound: "maxToolCalls" },
  { id: /\.web_search$/, unit: "web_search", bound: "none" },
  { id: /\.file_search$/, unit: "file_search", bound: "none" },
  { id: /\.(?:web_fetch(?:_\d+)?|mcp)$/, unit: null, bound: "none" },
];
/** The tool has a container of its own, which is billed as soon as the call is made. */
const CODE_INTERPRETER = /^(?:openai|azure)\.code_interpreter$/;
const CLIENT_TOOL = /\.(?:computer|bash|text_editor|memory|local_shell|apply_patch|custom)\w*$/;
/** How often a hosted tool may be called in one answer, where the caller does not say. */
const USUAL_CALLS = 16;
const MOST_CALLS = 1000;

export interface HostedTools {
  readonly names: readonly string[];
  readonly units: Units;
  readonly startedUnits: Units;
}

/** The tools of a call that the provider runs. Throws `Unmetered` for one whose price is not known. */
export function hostedIn(tools: unknown, options: JsonObject): HostedTools {
  const names: string[] = [];
  const units: Record<string, number> = {};
  const startedUnits: Record<string, number> = {};
  for (const tool of Array.isArray(tools) ? tools : []) {
    const { type, id } = objectOf(tool);
    if (type === "function" || (typeof id === "string" && CLIENT_TOOL.test(id))) continue;
    names.push(String(id));
    if (CODE_INTERPRETER.test(String(id))) {
      startedUnits["code_interpreter_session"] = (startedUnits["code_interpreter_session"] ?? 0) + 1;
      continue;
    }
    const { unit, bound } = hostedTool(id);
    if (unit !== null) units[unit] = (units[unit] ?? 0) + callsOf(bound, tool, options);
  }
  return { names, units: { ...units, ...startedUnits }, startedUnits };
}

function hostedTool(id: unknown): HostedTool {
  const known = HOSTED_TOOLS.find((tool) => tool.id.test(String(id)));
  if (known === undefined) throw new Unmetered(403, `The tool ${String(id)} is not metered.`);
  return known;
}

function callsOf(bound: ToolBound, tool: unknown, options: JsonObject): number {
  if (bound === "none") return USUAL_CALLS;
  const given = bound === "maxUses" ? objectOf(objectOf(tool)["args"]) : options;
  return wholeNumberIn(given, bound, MOST_CALLS) ?? USUAL_CALLS;
}

interface BoundedParams {
  readonly tools?: unknown;
  readonly providerOptions?: unknown;
}

/** The tools and options of a call, with the bounds that were reserved for. */
export function withToolBounds(
  { tools, providerOptions }: BoundedParams,
  options: JsonObject,
): BoundedParams {
  if (!Array.isArray(tools)) return {};
  const bounded: unknown[] = tools.map((tool: unknown) => boundedTool(tool, options));
  const isShared = tools.some((tool: unknown) => boundOf(tool) === "maxToolCalls");
  if (!isShared) return { tools: bounded };
  const calls = { maxToolCalls: callsOf("maxToolCalls", null, options) };
  const given = objectOf(providerOptions);
  // Azure's models read both names.
  const named = Object.hasOwn(given, "azure") ? ["openai", "azure"] : ["openai"];
  const shared = named.map((name) => [name, { ...objectOf(given[name]), ...calls }]);
  return { tools: bounded, providerOptions: { ...given, ...Object.fromEntries(shared) } };
}

function boundedTool(tool: unknown, options: JsonObject): unknown {
  if (boundOf(tool) !== "maxUses") return tool;
  const { args } = objectOf(tool);
  return { ...objectOf(tool), args: { ...objectOf(args), maxUses: callsOf("maxUses", tool, options) } };
}

function boundOf(tool: unknown): ToolBound {
  const { type, id } = objectOf(tool);
  if (type === "function") return "none";
  return HOSTED_TOOLS.find((known) => known.id.test(String(id)))?.bound ?? "none";
}
