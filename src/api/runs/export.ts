import * as z from "zod";
import { momentInput, toListQuery } from "../../contract/list.ts";
import { isRefusal } from "../../contract/refusal.ts";
import type { RunResource } from "../../contract/resources/runs.ts";
import { RUN_EXPORT_FORMATS, RUN_EXPORTS, type RunExportFormat } from "../../domain/run-export.ts";
import { operation } from "../../edge/operation.ts";
import type { OrgDoor } from "../../edge/org-door.ts";
import { rangeOf } from "../usage/range.ts";
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
      "Runs that started from `from` to before `to`, oldest first: `ndjson` (each run as `GET /v1/runs/{id}` returns it) or `csv` (RFC 4180, with formulas escaped, without metadata and charges). At most 400 days. Default: the last 30 days.",
    role: "viewer",
    scope: "runs:read",
    query: z.strictObject({
      ...filters,
      from: momentInput.optional(),
      to: momentInput.optional(),
      format: z.enum(RUN_EXPORT_FORMATS).optional(),
    }),
    reply: { 200: null },
    media: ["application/x-ndjson", "text/csv"],
    refuses: [],
  },
  async (call) => {
    const { from, to, format = "ndjson", ...names } = call.query as Asked;
    const offsetMs = call.caller?.org?.snapshot.clockOffsetMs ?? 0;
    const range = rangeOf({ from, to }, call.startedAt + offsetMs);
    if (isRefusal(range)) return range;
    const next = pagesOf(call.org, { ...names, from: iso(range.fromMs), to: iso(range.toMs) });
    const first = await next();
    if (isRefusal(first)) return first;
    call.headers["content-disposition"] = `attachment; filename="runs.${format}"`;
    return { status: 200, stream: exported(first, next, format), media: RUN_EXPORTS[format].media };
  },
);

type Names = Readonly<Record<string, string | undefined>>;
type Asked = Names & { readonly format?: RunExportFormat };

interface RunPage {
  readonly runs: readonly RunResource[];
  readonly isLast: boolean;
}

const iso = (ms: number) => new Date(ms).toISOString();

const PAGE_RUNS = "500";

/** One page after another, oldest run first. */
function pagesOf(org: OrgDoor, wanted: Names) {
  let cursor: string | null = null;
  return async () => {
    const after: Names = cursor === null ? {} : { cursor };
    const query = toListQuery(RUN_LIST, { ...wanted, ...after, limit: PAGE_RUNS, sort: "started_at" });
    const answer = await org.query("listRuns", query);
    if (isRefusal(answer)) return answer;
    cursor = answer.body.next_cursor;
    return { runs: answer.body.data, isLast: cursor === null } satisfies RunPage;
  };
}

/** Reads the next runs only when the reader has taken those before: memory stays that of one page. */
function exported(
  first: RunPage,
  next: ReturnType<typeof pagesOf>,
  format: RunExportFormat,
): ReadableStream<Uint8Array> {
  const { header, line } = RUN_EXPORTS[format];
  const encoder = new TextEncoder();
  let read: RunPage | null = first;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (header !== "") controller.enqueue(encoder.encode(header));
      },
      async pull(controller) {
        for (;;) {
          const page: RunPage | Awaited<ReturnType<typeof next>> = read ?? (await next());
          read = null;
          if (isRefusal(page)) throw new Error(`the export stopped: ${page.code}`);
          if (page.runs.length > 0) controller.enqueue(encoder.encode(page.runs.map(line).join("")));
          if (page.isLast) controller.close();
          // A page among many runs that do not match can be empty.
          if (page.isLast || page.runs.length > 0) return;
        }
      },
    },
    { highWaterMark: 0 },
  );
}
