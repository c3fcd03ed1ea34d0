import type { RunResource } from "../../../contract/resources/runs/runs.ts";
import { SCOPE_FIELDS } from "../../../contract/scopes.ts";
import { TOKEN_PARTS } from "../../../contract/token-classes.ts";
import { writeRaw } from "../../text/raw-json.ts";
import { type Column, USD_DECIMALS } from "./column.ts";
import { ParquetFile } from "./file.ts";

type Json = object | null | undefined;

/** Every field of a run as the API shows it. A field without a type in Parquet is JSON. */
const COLUMNS: readonly Column<RunResource>[] = [
  { name: "id", kind: "text", of: (run) => run.id },
  { name: "started_at", kind: "moment", of: (run) => momentOf(run.started_at) },
  { name: "ended_at", kind: "moment", of: (run) => momentOf(run.ended_at) },
  { name: "recorded_at", kind: "moment", of: (run) => momentOf(run.recorded_at) },
  { name: "charged_at", kind: "moment", of: (run) => momentOf(run.charged_at) },
  { name: "model", kind: "text", of: (run) => run.model },
  { name: "provider", kind: "text", of: (run) => run.provider },
  { name: "variant", kind: "text", of: (run) => run.variant },
  { name: "action", kind: "text", of: (run) => run.action },
  { name: "key_id", kind: "text", of: (run) => run.key_id },
  { name: "user_id", kind: "text", of: (run) => run.user_id },
  ...SCOPE_FIELDS.map((field): Column<RunResource> => ({
    name: field,
    kind: "text",
    of: (run) => run[field],
  })),
  { name: "tags", kind: "text", of: (run) => jsonOf(run.tags) },
  { name: "chain_id", kind: "text", of: (run) => run.chain?.chain_id ?? null },
  { name: "parent_run_id", kind: "text", of: (run) => run.chain?.parent_run_id ?? null },
  { name: "depth", kind: "count", of: (run) => run.chain?.depth ?? null },
  { name: "input_tokens", kind: "count", of: (run) => run.usage.input_tokens },
  { name: "output_tokens", kind: "count", of: (run) => run.usage.output_tokens },
  ...TOKEN_PARTS.map(({ field }): Column<RunResource> => ({
    name: field,
    kind: "count",
    of: (run) => run.usage[field] ?? 0,
  })),
  { name: "units", kind: "text", of: (run) => jsonOf(run.usage.units) },
  { name: "cost_usd", kind: "usd", of: (run) => nanosOf(run.cost_usd) },
  { name: "cost_source", kind: "text", of: (run) => run.cost_source },
  { name: "price_revision", kind: "count", of: (run) => run.price_revision },
  { name: "cost_breakdown", kind: "text", of: (run) => jsonOf(run.cost_breakdown) },
  { name: "adjusted_usd", kind: "usd", of: (run) => nanosOf(run.adjusted_usd) },
  { name: "net_cost_usd", kind: "usd", of: (run) => nanosOf(run.net_cost_usd) },
  { name: "uncovered_usd", kind: "usd", of: (run) => nanosOf(run.uncovered_usd) },
  { name: "reservation_id", kind: "text", of: (run) => run.reservation_id },
  { name: "approval_id", kind: "text", of: (run) => run.approval_id },
  { name: "incurred", kind: "flag", of: (run) => run.incurred },
  { name: "outcome", kind: "text", of: (run) => run.outcome },
  { name: "estimated", kind: "flag", of: (run) => run.estimated },
  { name: "charges", kind: "text", of: (run) => jsonOf(run.charges) },
  { name: "shadow", kind: "text", of: (run) => jsonOf(run.shadow) },
  { name: "requested_model", kind: "text", of: (run) => run.requested_model },
  { name: "fallback", kind: "text", of: (run) => run.fallback },
  { name: "metadata", kind: "text", of: (run) => jsonOf(run.metadata) },
];

/** Runs as the API shows them, as a Parquet file. */
export function shownRunsFile(): ParquetFile<RunResource> {
  return new ParquetFile(COLUMNS);
}

function momentOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

/** Null for what is empty, as in a CSV export. */
function jsonOf(value: Json): string | null {
  if (value === null || value === undefined || Object.keys(value).length === 0) return null;
  return writeRaw(JSON.stringify(value));
}

/** Returns the nano-dollars of an amount as the API writes it: of any size, and perhaps negative. */
function nanosOf(text: string | null): bigint | null {
  if (text === null) return null;
  const [dollars = "", fraction = ""] = text.split(".");
  return BigInt(dollars + fraction.padEnd(USD_DECIMALS, "0"));
}
