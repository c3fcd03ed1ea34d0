import * as z from "zod";
import { withRule } from "../../contract/field-rules.ts";
import { bodyOf } from "../../edge/object/org-door.ts";
import { checkRange, momentInput, parseMoment } from "../../contract/list.ts";
import { isRefusal } from "../../contract/refusal.ts";
import { EXPORT_FORMATS, type ExportFormat, EXPORTS } from "../../domain/audit/export.ts";
import { operation } from "../../edge/request/operation.ts";
import type { OrgDoor } from "../../edge/object/org-door.ts";

export const exportAuditLog = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/audit-log/export",
    summary: "Export the audit trail of a time range as a stream",
    description:
      "`ndjson`, `csv` (RFC 4180, with formulas escaped) or `ocsf` (OCSF 1.3 API Activity, one event per line).",
    role: "viewer",
    scope: "audit:read",
    query: withRule(
      z.strictObject({ from: momentInput, to: momentInput, format: z.enum(EXPORT_FORMATS).optional() }),
      checkRange,
    ),
    reply: { 200: null },
    media: ["application/x-ndjson", "text/csv"],
    refuses: [],
  },
  async (call) => {
    const { from, to, format = "ndjson" } = call.query;
    const window = { from: parseMoment(from) ?? 0, to: parseMoment(to) ?? 0, format };
    const begun = await call.org.command("beginAuditExport", window);
    if (isRefusal(begun)) return begun;
    const range = bodyOf(begun);
    call.headers["content-disposition"] =
      `attachment; filename="audit-log.${format === "csv" ? "csv" : "ndjson"}"`;
    return { status: 200, stream: exported(call.org, range, format), media: EXPORTS[format].media };
  },
);

/** Reads the next entries only after the reader has taken the previous ones, so memory stays at one page. */
function exported(
  org: OrgDoor,
  { first, last }: { first: number; last: number },
  format: ExportFormat,
): ReadableStream<Uint8Array> {
  const { header, line } = EXPORTS[format];
  const encoder = new TextEncoder();
  let after = first - 1;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (header !== "") controller.enqueue(encoder.encode(header));
      },
      async pull(controller) {
        const page = after < last ? await org.query("auditPage", { after, last }) : null;
        if (page !== null && isRefusal(page)) throw new Error(`the export stopped: ${page.code}`);
        const links = page?.body.links ?? [];
        const end = links.at(-1);
        if (end === undefined) {
          controller.close();
          return;
        }
        after = end.seq;
        controller.enqueue(encoder.encode(links.map(line).join("")));
      },
    },
    { highWaterMark: 0 },
  );
}
