import { DIMENSIONS } from "../../../contract/dimensions.ts";
import { TOKEN_PARTS, type TokenClass } from "../../../contract/token-classes.ts";
import { writeRaw } from "../../text/raw-json.ts";
import type { RunRecord } from "../segment/record.ts";
import type { Column } from "./column.ts";

/** The fields of a run that are not columns of a segment, as far as they have a column in Parquet. */
interface Extra {
  readonly priced?: true | number;
  readonly variant?: string;
  readonly parts?: Readonly<Partial<Record<TokenClass, number>>>;
  readonly units?: object;
  readonly reservation?: string;
  readonly incurred?: true;
  readonly approval?: string;
  readonly metadata?: object;
  readonly uncovered?: string;
  readonly estimated?: true;
  readonly requested?: string;
  readonly fallback?: string;
}

function extraOf(run: RunRecord): Extra {
  return run.extra ?? {};
}

/** A stored run under the names that the API has for its fields. Later changes, such as adjustments, are not in it. */
export const STORED_RUN_COLUMNS: readonly Column<RunRecord>[] = [
  { name: "id", kind: "text", of: (run) => run.id },
  { name: "started_at", kind: "moment", of: (run) => run.startedAt },
  { name: "ended_at", kind: "moment", of: (run) => run.endedAt },
  { name: "recorded_at", kind: "moment", of: (run) => run.recordedAt },
  { name: "charged_at", kind: "moment", of: (run) => run.chargedAt },
  ...DIMENSIONS.map(({ name, property }): Column<RunRecord> => ({
    name,
    kind: "text",
    of: (run) => run[property],
  })),
  { name: "variant", kind: "text", of: (run) => extraOf(run).variant ?? null },
  { name: "action", kind: "text", of: (run) => run.action },
  { name: "tags", kind: "text", of: (run) => run.tags },
  { name: "chain_id", kind: "text", of: (run) => run.chainId },
  { name: "parent_run_id", kind: "text", of: (run) => run.parentRunId },
  { name: "depth", kind: "count", of: (run) => (run.chainId === null ? null : run.depth) },
  { name: "input_tokens", kind: "count", of: (run) => run.inputTokens },
  { name: "output_tokens", kind: "count", of: (run) => run.outputTokens },
  ...TOKEN_PARTS.map(({ name, field }): Column<RunRecord> => ({
    name: field,
    kind: "count",
    of: (run) => extraOf(run).parts?.[name] ?? 0,
  })),
  { name: "units", kind: "text", of: (run) => jsonOf(extraOf(run).units) },
  { name: "cost_usd", kind: "usd", of: (run) => run.cost },
  { name: "cost_source", kind: "text", of: (run) => (isPriced(run) ? "price_book" : "caller") },
  { name: "uncovered_usd", kind: "usd", of: (run) => nanosOf(extraOf(run).uncovered) },
  { name: "reservation_id", kind: "text", of: (run) => extraOf(run).reservation ?? null },
  { name: "approval_id", kind: "text", of: (run) => extraOf(run).approval ?? null },
  { name: "incurred", kind: "flag", of: (run) => extraOf(run).incurred ?? false },
  { name: "outcome", kind: "text", of: (run) => run.outcome ?? "completed" },
  { name: "estimated", kind: "flag", of: (run) => extraOf(run).estimated ?? false },
  { name: "charges", kind: "text", of: (run) => (run.charges === "" ? null : run.charges) },
  { name: "requested_model", kind: "text", of: (run) => extraOf(run).requested ?? null },
  { name: "fallback", kind: "text", of: (run) => extraOf(run).fallback ?? null },
  { name: "metadata", kind: "text", of: (run) => jsonOf(extraOf(run).metadata) },
];

function isPriced(run: RunRecord): boolean {
  return extraOf(run).priced !== undefined;
}

function jsonOf(value: object | undefined): string | null {
  return value === undefined ? null : writeRaw(JSON.stringify(value));
}

function nanosOf(text: string | undefined): bigint | null {
  return text === undefined ? null : BigInt(text);
}
