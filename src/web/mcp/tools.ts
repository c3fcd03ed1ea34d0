import { DIMENSION_NAMES } from "../../contract/dimensions.ts";
import { BUDGET_SCOPES } from "../../contract/scopes.ts";

/** One tool: an operation of the API, asked for by a model. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** The operation that it is, as a route. A tool whose operation is not served does not exist. */
  readonly route: string;
  /** Offered only to whoever asks for tools that change something. */
  readonly isWrite?: boolean;
  readonly takes: Readonly<Record<string, Argument>>;
  readonly required?: readonly string[];
  /** The value that is asked for where nobody says it. */
  readonly usual?: Readonly<Record<string, string>>;
}

interface Argument {
  readonly type: "string" | "integer" | "object" | "boolean";
  readonly description: string;
}

const text = (description: string): Argument => ({ type: "string", description });
const whole = (description: string): Argument => ({ type: "integer", description });

const RANGE = {
  from: text("The first day, such as 2026-11-01, or a time in RFC 3339."),
  to: text("The end, which is not part of it. At most 90 days after the beginning."),
};

/** All tools. One more is one more row. */
export const TOOLS: readonly Tool[] = [
  {
    name: "report",
    description: "What was spent: exact sums of cost, runs and tokens, by up to three groups.",
    route: "GET /v1/orgs/{id}/usage/report",
    takes: {
      ...RANGE,
      group_by: text(
        `One to three of day, week, month, ${DIMENSION_NAMES.join(", ")}, tag:NAME, separated by commas. Default: model.`,
      ),
      sort: text("cost_usd, runs or tokens."),
      timezone: text("Of days: an IANA time zone."),
      limit: whole("How many groups. Default: 50."),
    },
    usual: { group_by: "model", limit: "50" },
  },
  {
    name: "explain",
    description: "Why a call was allowed or refused: every check, in order. Takes exactly one of the ids.",
    route: "POST /v1/orgs/{id}/explain",
    takes: {
      trace_id: text("The x-svc-trace-id of a refusal or of a recorded run."),
      refusal_id: text("ref_…"),
      reservation_id: text("rsv_…"),
      run_id: text("The id of a run."),
      ask: { type: "object", description: "A decision that would be asked for: explains what would happen." },
    },
  },
  {
    name: "limits",
    description: "Every limit, the one that runs out next first, with what is spent and when it resets.",
    route: "GET /v1/orgs/{id}/limits",
    takes: {
      limit: whole("How many, 1 to 200. Default: 50."),
      forecast: text("true: when each runs out; then at most 20."),
    },
  },
  {
    name: "refusals",
    description: "Calls that a limit or a rule refused, newest first.",
    route: "GET /v1/orgs/{id}/refusals",
    takes: {
      ...RANGE,
      code: text("Such as budget_exceeded."),
      customer_id: text("Only of this customer."),
      workflow_id: text("Only of this workflow."),
      key_id: text("Only of this key."),
      trace_id: text("Only of this call."),
      limit: whole("How many, 1 to 200. Default: 20."),
      cursor: text("next_cursor of the answer before, for those after it."),
    },
    usual: { limit: "20" },
  },
  {
    name: "forecast",
    description: "What will be spent, with a range, and the day on which each budget is used up.",
    route: "GET /v1/capacity/forecasts",
    takes: {
      metric: text("usd, tokens or runs. Default: usd."),
      horizon_days: whole("7 to 180. Default: 30."),
      scenario: text("One scenario instead of all."),
      scope_kind: text(`One of ${BUDGET_SCOPES.join(", ")}.`),
      scope_id: text("Which one, if it is not the organization."),
    },
  },
  {
    name: "unusual",
    description: "Spending that is outside of what was to be expected.",
    route: "GET /v1/orgs/{id}/usage/unusual",
    takes: RANGE,
  },
  {
    name: "prices",
    description: "Which price a call to a model would have, and why.",
    route: "GET /v1/orgs/{id}/prices/resolve",
    takes: { model: text("As calls name it."), provider: text("As calls name it.") },
    required: ["model"],
  },
  {
    name: "change_budget",
    description: "Changes a budget. The limit is in its unit: dollars as a decimal text.",
    route: "PATCH /v1/orgs/{id}/budgets/{budget_id}",
    isWrite: true,
    takes: { budget_id: text("bud_…"), limit: text("The new limit."), mode: text("enforce or shadow.") },
    required: ["budget_id"],
  },
  {
    name: "increase_budget",
    description: "Raises a budget until a time, and not for ever.",
    route: "POST /v1/orgs/{id}/budgets/{budget_id}/increases",
    isWrite: true,
    takes: {
      budget_id: text("bud_…"),
      amount: text("By how much, in the budget's unit."),
      until: text("When it ends, in RFC 3339."),
      reason: text("Why. It is recorded."),
    },
    required: ["budget_id", "amount", "until", "reason"],
  },
  {
    name: "set_spend_cap",
    description: "Sets the most that the organization may spend in a day.",
    route: "PUT /v1/orgs/{id}/spend-cap",
    isWrite: true,
    takes: { cap_usd: text("Dollars as a decimal text."), timezone: text("Of the day: an IANA time zone.") },
    required: ["cap_usd"],
  },
  {
    name: "approve",
    description: "Approves an action that waits for it.",
    route: "POST /v1/orgs/{id}/approvals/{approval_id}/approve",
    isWrite: true,
    takes: { approval_id: text("apr_…") },
    required: ["approval_id"],
  },
  {
    name: "deny",
    description: "Denies an action that waits for an approval.",
    route: "POST /v1/orgs/{id}/approvals/{approval_id}/deny",
    isWrite: true,
    takes: { approval_id: text("apr_…") },
    required: ["approval_id"],
  },
];

/** A tool as the protocol lists it. */
export function toListedTool({
  name,
  description,
  takes,
  required = [],
  isWrite = false,
  route,
}: Tool): object {
  const isDestructive = /^(PUT|PATCH|DELETE)/.test(route);
  return {
    name,
    description,
    inputSchema: { type: "object", properties: takes, required, additionalProperties: false },
    annotations: isWrite
      ? { readOnlyHint: false, destructiveHint: isDestructive, openWorldHint: false }
      : { readOnlyHint: true, openWorldHint: false },
  };
}

export type Arguments = Readonly<Record<string, unknown>>;

export interface ToolCall {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly body: string | null;
}

/** Returns what is wrong with the arguments of a call, or null. Their values are checked by the operation. */
export function argumentProblem({ takes, required = [] }: Tool, given: Arguments): string | null {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(takes, name));
  if (unknown !== undefined) return `${JSON.stringify(unknown)} is not an argument of this tool`;
  const missing = required.find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined) return `${missing} is required`;
  const odd = Object.entries(given).find(([name, value]) => !hasType(takes[name]?.type, value));
  return odd === undefined ? null : `${odd[0]} must be of the type ${takes[odd[0]]?.type}`;
}

function hasType(type: Argument["type"] | undefined, value: unknown): boolean {
  if (type === "integer") return Number.isSafeInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

/** The request that a call of a tool stands for. */
export function toolCall({ route, usual = {} }: Tool, org: string, given: Arguments): ToolCall {
  const [method = "", template = ""] = route.split(" ");
  const inPath = new Set([...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name));
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(name === "id" ? org : String(given[name])),
  );
  const rest = Object.entries({ ...usual, ...given }).filter(([name]) => !inPath.has(name));
  if (method !== "GET") return { method, path, body: JSON.stringify(Object.fromEntries(rest)) };
  const query = new URLSearchParams(rest.map(([name, value]) => [name, String(value)]));
  return { method, path: rest.length === 0 ? path : `${path}?${query}`, body: null };
}
