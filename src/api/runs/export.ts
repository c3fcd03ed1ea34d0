import * as z from "zod";
import { momentInput } from "../../contract/list.ts";
import {
  EXPORT_FORMATS,
  type ExportFormat,
  FOCUS_VERSIONS,
  type FocusVersion,
} from "../../contract/lists.ts";
import { invalidField, isRefusal } from "../../contract/refusal.ts";
import { PARQUET_MEDIA, RUN_EXPORTS } from "../../domain/run/export-formats.ts";
import { operation } from "../../edge/request/operation.ts";
import { rangeOf } from "../usage/range.ts";
import {
  allPages,
  type ExportNames,
  type NextPage,
  pagesOf,
  type RunPage,
  streamOf,
} from "./export-pages.ts";
import { RUN_LIST } from "./list.ts";

const filters = Object.fromEntries(
  Object.entries(RUN_LIST.filters ?? {}).map(([name, type]) => [name, type.optional()]),
);

export const exportRuns = operation(
  {
    method: "GET",
    path: "/v1/runs/export",
    summary: "Export the runs of a time range as a stream",
    description:
      "Runs that started from `from` to before `to`, oldest first: `ndjson` (each run as `GET /v1/runs/{id}` returns it), `csv` (RFC 4180, with formulas escaped, without metadata and charges), `parquet` (every field of each run; money is DECIMAL(38,9)) or `focus` (CSV with the columns of the FinOps Open Cost and Usage Specification: charges by day, scope, model and token class, and adjustments made in the range). At most 400 days. Default: the last 30 days.",
    role: "viewer",
    scope: "runs:read",
    query: z.strictObject({
      ...filters,
      from: momentInput.optional(),
      to: momentInput.optional(),
      format: z.enum(EXPORT_FORMATS).optional(),
      focus_version: z
        .enum(FOCUS_VERSIONS)
        .optional()
        .meta({ description: "The version of FOCUS, with `format=focus`. Default: 1.2." }),
    }),
    reply: { 200: null },
    media: ["application/x-ndjson", "text/csv", PARQUET_MEDIA],
    refuses: [],
  },
  async (call) => {
    const { from, to, format = "ndjson", focus_version: version, ...names } = call.query as ExportQuery;
    if (version !== undefined && format !== "focus") {
      return invalidField("focus_version", "invalid_value", "goes with format=focus only");
    }
    const offsetMs = call.caller?.org?.snapshot.clockOffsetMs ?? 0;
    const range = rangeOf({ from, to }, call.startedAt + offsetMs);
    if (isRefusal(range)) return range;
    const next = pagesOf(call.org, names, range);
    const first = await next();
    if (isRefusal(first)) return first;
    const name = format === "focus" ? `focus-${version ?? "1.2"}.csv` : `runs.${format}`;
    call.headers["content-disposition"] = `attachment; filename="${name}"`;
    if (format === "focus") {
      const asked = { version: version ?? "1.2", range, filters: names };
      const { focusTexts } = await import("./focus-texts.ts");
      const texts = await focusTexts(call.org, asked, { first, next });
      if (isRefusal(texts)) return texts;
      return { status: 200, stream: streamOf(texts), media: RUN_EXPORTS.csv.media };
    }
    if (format === "parquet") {
      return { status: 200, stream: streamOf(parquet(first, next)), media: PARQUET_MEDIA };
    }
    return { status: 200, stream: streamOf(lines(first, next, format)), media: RUN_EXPORTS[format].media };
  },
);

type ExportQuery = ExportNames & { readonly format?: ExportFormat; readonly focus_version?: FocusVersion };

async function* lines(first: RunPage, next: NextPage, format: keyof typeof RUN_EXPORTS) {
  const { header, line } = RUN_EXPORTS[format];
  yield header;
  for await (const page of allPages(first, next)) yield page.runs.map(line).join("");
}

/** The bytes of a group of rows at a time. */
async function* parquet(first: RunPage, next: NextPage) {
  const { shownRunsFile } = await import("../../domain/export/parquet.ts");
  const file = shownRunsFile();
  for await (const page of allPages(first, next)) yield file.add(page.runs);
  yield file.end();
}
