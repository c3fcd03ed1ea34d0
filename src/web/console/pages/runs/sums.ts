import { DIMENSION_NAMES } from "../../../../contract/dimensions.ts";
import type { RunResource } from "../../../../contract/resources/runs/runs.ts";
import type { UsageReport } from "../../../../contract/resources/usage/usage-report.ts";
import { formatUsd, parseUsd } from "../../../../domain/price/money.ts";
import type { Failed } from "../../view/unread.tsx";
import type { ListOf, Visit } from "../../visit.ts";
import type { ModelAmount } from "./by-model.tsx";

export interface RunSums {
  readonly cost_usd: string;
  readonly runs: number;
  readonly tokens: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** The most expensive first. */
  readonly models: readonly ModelAmount[];
  readonly modelCount: number;
  /**
   * The amount that these runs took from the limit that they are filtered by. Null: it is no filter, or does not count
   * dollars.
   */
  readonly charged_usd: string | null;
}

/** Reports know these filters, of a range that has a beginning and an end. */
const REPORTED: readonly string[] = [...DIMENSION_NAMES, "tag", "without", "from", "to"];
const NOT_REPORTED = ["action", "chain_id", "limit_id", "charged_from"];
const SHOWN_MODELS = 6;
/** Runs that no report knows are added up one by one, up to this many pages. */
const MOST_PAGES = 5;
const PAGE = 200;

const given = (query: URLSearchParams, name: string) => query.get(name)?.trim() ?? "";

export function isBounded(query: URLSearchParams): boolean {
  return given(query, "from") !== "" && given(query, "to") !== "";
}

/**
 * The sums of all runs that are filtered, not only of those on this page, or why they cannot be read. Null: they are too many to add
 * up here.
 */
export async function readSums(
  visit: Visit,
  query: URLSearchParams,
  page: ListOf<RunResource>,
): Promise<RunSums | Failed | null> {
  const isReported = NOT_REPORTED.every((name) => given(query, name) === "");
  if (isReported && isBounded(query)) return fromReport(visit, query);
  const isAll = page.next_cursor === null && given(query, "cursor") === "";
  if (isAll) return sumOf(page.data, given(query, "limit_id"));
  return isReported ? null : fromRuns(visit, query);
}

async function fromReport(visit: Visit, query: URLSearchParams): Promise<RunSums | Failed> {
  const asked = new URLSearchParams({ group_by: "model", limit: String(SHOWN_MODELS) });
  for (const name of REPORTED) if (given(query, name) !== "") asked.set(name, given(query, name));
  const answer = await visit.api.get<UsageReport>(`${visit.org}/usage/report?${asked}`);
  const { body } = answer;
  if (body === null) return answer;
  const models = body.data.map(({ model, cost_usd, runs }) => ({ model: String(model), cost_usd, runs }));
  return { ...body.totals, models, modelCount: body.groups, charged_usd: null };
}

async function fromRuns(visit: Visit, query: URLSearchParams): Promise<RunSums | Failed | null> {
  const asked = new URLSearchParams({ limit: String(PAGE) });
  for (const name of [...REPORTED, ...NOT_REPORTED]) {
    if (given(query, name) !== "") asked.set(name, given(query, name));
  }
  const runs: RunResource[] = [];
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const answer = await visit.api.get<ListOf<RunResource>>(`/v1/runs?${asked}`);
    const { body } = answer;
    if (body === null) return answer;
    runs.push(...body.data);
    if (body.next_cursor === null) return sumOf(runs, given(query, "limit_id"));
    // The API ends a page early where it would have to look through too many runs.
    if (body.data.length < PAGE) return null;
    asked.set("cursor", body.next_cursor);
  }
  return null;
}

function sumOf(runs: readonly RunResource[], limitId: string): RunSums {
  const input_tokens = runs.reduce((sum, { usage }) => sum + usage.input_tokens, 0);
  const output_tokens = runs.reduce((sum, { usage }) => sum + usage.output_tokens, 0);
  const models = Map.groupBy(runs, ({ model }) => model);
  const amounts = [...models].map(([model, some]) => ({
    model,
    cost_usd: costOf(some),
    runs: some.length,
  }));
  return {
    cost_usd: costOf(runs),
    runs: runs.length,
    tokens: input_tokens + output_tokens,
    input_tokens,
    output_tokens,
    models: amounts
      .toSorted((one, other) => Number(other.cost_usd) - Number(one.cost_usd))
      .slice(0, SHOWN_MODELS),
    modelCount: models.size,
    charged_usd: chargedTo(limitId, runs),
  };
}

const costOf = (runs: readonly RunResource[]): string => total(runs.map(({ net_cost_usd }) => net_cost_usd));

function chargedTo(limitId: string, runs: readonly RunResource[]): string | null {
  const amounts = runs.flatMap(({ charges }) =>
    charges.flatMap(({ id, amount_usd }) => (id === limitId ? (amount_usd ?? []) : [])),
  );
  return amounts.length === 0 ? null : total(amounts);
}

/** Exact: amounts are added up in nano-dollars. */
function total(amounts: readonly string[]): string {
  const nanos = amounts.map((text) =>
    text.startsWith("-") ? -(parseUsd(text.slice(1)) ?? 0n) : (parseUsd(text) ?? 0n),
  );
  return formatUsd(nanos.reduce((sum, some) => sum + some, 0n));
}
