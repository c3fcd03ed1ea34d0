import type { RunResource } from "../../contract/resources/runs/runs.ts";
import { SCOPE_FIELDS } from "../../contract/scopes.ts";
import { TOKEN_PARTS } from "../../contract/token-classes.ts";
import { csvField } from "../text/csv.ts";
import { writeRaw } from "../text/raw-json.ts";

/** Formats that have each run by itself, as text. */
type RunLineFormat = "ndjson" | "csv";

type Cell = string | number | null;

const COLUMNS: readonly (readonly [name: string, cell: (run: RunResource) => Cell])[] = [
  ["id", (run) => run.id],
  ["started_at", (run) => run.started_at],
  ["ended_at", (run) => run.ended_at],
  ["recorded_at", (run) => run.recorded_at],
  ["charged_at", (run) => run.charged_at],
  ["model", (run) => run.model],
  ["provider", (run) => run.provider],
  ["variant", (run) => run.variant],
  ["action", (run) => run.action],
  ["key_id", (run) => run.key_id],
  ["user_id", (run) => run.user_id],
  ...SCOPE_FIELDS.map((field) => [field, (run: RunResource) => run[field]] as const),
  ["tags", (run) => (Object.keys(run.tags).length === 0 ? null : JSON.stringify(run.tags))],
  ["chain_id", (run) => run.chain?.chain_id ?? null],
  ["parent_run_id", (run) => run.chain?.parent_run_id ?? null],
  ["reservation_id", (run) => run.reservation_id],
  ["input_tokens", (run) => run.usage.input_tokens],
  ["output_tokens", (run) => run.usage.output_tokens],
  ...TOKEN_PARTS.map(({ field }) => [field, (run: RunResource) => run.usage[field] ?? 0] as const),
  ["cost_source", (run) => run.cost_source],
  ["price_revision", (run) => run.price_revision],
  ["cost_usd", (run) => run.cost_usd],
  ["outcome", (run) => run.outcome],
  ["net_cost_usd", (run) => run.net_cost_usd],
];

export const PARQUET_MEDIA = "application/vnd.apache.parquet";

interface Writer {
  readonly media: string;
  readonly header: string;
  readonly line: (run: RunResource) => string;
}

/** How runs are written, one to a line. CSV has no metadata, charges or breakdown: NDJSON has the whole run. */
export const RUN_EXPORTS: Readonly<Record<RunLineFormat, Writer>> = {
  ndjson: {
    media: "application/x-ndjson",
    header: "",
    line: (run) => `${writeRaw(JSON.stringify(run))}\n`,
  },
  csv: {
    media: "text/csv; charset=utf-8",
    header: `${COLUMNS.map(([name]) => name).join(",")}\r\n`,
    line: (run) => `${COLUMNS.map(([, cell]) => csvField(cell(run))).join(",")}\r\n`,
  },
};
