import type { Child } from "hono/jsx";
import { EXPORT_FORMATS } from "../../../contract/lists.ts";
import type { ExportWindow, ScheduledExport } from "../../../contract/resources/exports.ts";
import { DELETE, type Resource } from "../page/resource.ts";
import type { Field } from "../view/field.ts";
import { count, formatMoment } from "../view/format.ts";
import { Usd } from "../view/money.tsx";
import { Badge, Card, type Fact, Pager, Status } from "../view/parts.tsx";
import { Rows } from "../view/rows.tsx";
import { pathFor } from "../view/table-order.ts";
import { type Column, Table } from "../view/table.tsx";
import { type PageRequest, listPath, type ListOf, pagesOf, type Visit } from "../visit.ts";

const PATH = "/console/exports";

const FORMATS: Readonly<Record<ScheduledExport["format"], string>> = {
  ndjson: "NDJSON",
  csv: "CSV",
  parquet: "Parquet",
  focus: "FOCUS",
  otlp: "OpenTelemetry",
};

const FIELDS: readonly Field[] = [
  {
    name: "format",
    label: "Format of files",
    kind: "choice",
    half: true,
    options: EXPORT_FORMATS.map((format) => [format, FORMATS[format]] as const),
  },
  {
    name: "every",
    label: "Files every",
    kind: "choice",
    half: true,
    options: [
      ["hour", "Hour"],
      ["day", "Day"],
    ],
  },
  {
    name: "destination.kind",
    label: "Written to",
    kind: "choice",
    half: true,
    options: [
      ["bucket", "The bucket of this region"],
      ["s3", "Your own S3-compatible storage"],
      ["otlp", "A receiver of OpenTelemetry, as spans"],
    ],
  },
  {
    name: "destination.prefix",
    label: "Names begin with",
    kind: "text",
    half: true,
    placeholder: "usage/",
  },
  {
    name: "storage",
    label: "Your own storage or receiver. Leave empty for the bucket of this region.",
    kind: "heading",
  },
  {
    name: "destination.endpoint",
    label: "Address",
    kind: "text",
    placeholder: "https://s3.eu-central-1.amazonaws.com",
  },
  { name: "destination.bucket", label: "Bucket", kind: "text", half: true },
  { name: "destination.region", label: "Region", kind: "text", half: true, placeholder: "eu-central-1" },
  { name: "destination.access_key_id", label: "Access key id", kind: "text", half: true },
  {
    name: "destination.secret_access_key",
    label: "Secret access key",
    kind: "secret",
    half: true,
    hint: "Stored encrypted and never shown. Give it again with each change.",
  },
  {
    name: "destination.headers",
    label: "Header for the receiver",
    kind: "secret",
    placeholder: "authorization: Bearer …",
    hint: "Stored encrypted and never shown. Give it again with each change.",
  },
];

const OF_FILES = ["prefix", "bucket", "region", "access_key_id", "secret_access_key"];

/** A receiver of spans needs nothing that is about files. Its header is typed as it is sent. */
function bodyOf(typed: Record<string, unknown>): Record<string, unknown> {
  const { format: _, every: __, destination, ...rest } = typed;
  const { headers, ...to } = (destination ?? {}) as Record<string, unknown>;
  if (to["kind"] !== "otlp") return typed;
  const kept = Object.fromEntries(Object.entries(to).filter(([name]) => !OF_FILES.includes(name)));
  const [, name, value] = /^([^:]*):(.*)$/s.exec(typeof headers === "string" ? headers : "") ?? [];
  const read = name === undefined ? headers : { [name.trim()]: value?.trim() ?? "" };
  return { ...rest, destination: { ...kept, ...(headers === undefined ? {} : { headers: read }) } };
}

function targetOf({ destination }: ScheduledExport): string {
  if (destination.kind === "otlp") return destination.endpoint;
  return destination.kind === "bucket" ? "The bucket of this region" : destination.bucket;
}

function spanFacts({ spans, destination }: ScheduledExport): readonly Fact[] {
  if (spans === null || destination.kind !== "otlp") return [];
  return [
    ["Headers", destination.header_names.join(", ") || "None"],
    ["Spans sent", count(spans.sent)],
    ["Spans rejected", count(spans.rejected)],
    ["Spans dropped", count(spans.dropped)],
    [
      "Next attempt",
      spans.next_attempt_at === null
        ? "When there is something to send"
        : formatMoment(spans.next_attempt_at),
    ],
  ];
}

function fileFacts({ destination }: ScheduledExport): readonly Fact[] {
  if (destination.kind === "otlp") return [];
  return [
    ...(destination.kind === "s3" ? [["Address", destination.endpoint] as const] : []),
    ["Names begin with", destination.prefix || "Nothing"],
  ];
}

/** How long it is behind, in words. */
function stateOf({ lag_seconds: lag, last_error: error }: ScheduledExport) {
  return (
    <>
      <Badge tone={error === null ? "good" : "bad"}>{error === null ? "on time" : "failing"}</Badge>
      {lag > 0 && <span class="sub">behind by {count(Math.ceil(lag / 60))} minutes</span>}
      {error !== null && <span class="sub">{error}</span>}
    </>
  );
}

const WINDOWS: readonly Column<ExportWindow>[] = [
  { title: "From", kind: "moment", cell: ({ from }) => formatMoment(from) },
  { title: "To", kind: "moment", cell: ({ to }) => formatMoment(to) },
  {
    title: "State",
    cell: ({ status, last_error: error }) => (
      <>
        <Status is={status} />
        {error !== null && <span class="sub">{error}</span>}
      </>
    ),
  },
  { title: "Files", kind: "number", cell: ({ files }) => count(files) },
  { title: "Rows", kind: "number", cell: ({ rows }) => count(rows) },
  { title: "Cost", kind: "number", cell: ({ cost_usd }) => <Usd of={cost_usd} /> },
  { title: "Manifest", cell: ({ manifest }) => <code>{manifest}</code> },
];

async function windowsOf(visit: Visit, ask: PageRequest, { name, spans }: ScheduledExport): Promise<Child> {
  if (spans !== null) return null;
  const path = `${visit.org}/exports/${encodeURIComponent(name)}/windows`;
  const answer = await visit.api.get<ListOf<ExportWindow>>(
    pathFor(listPath(path, ask.query, []), ask.query, "Windows"),
  );
  const next = answer.body?.next_cursor ?? null;
  return (
    <Card title="Windows" note="Newest first" bare>
      <Rows of={answer} none="None is over yet.">
        {(rows) => <Table label="Windows" columns={WINDOWS} rows={rows} />}
      </Rows>
      <Pager {...pagesOf(`${PATH}/${encodeURIComponent(name)}`, ask.query, next)} />
    </Card>
  );
}

export const exportsPage: Resource<ScheduledExport> = {
  path: PATH,
  api: "exports",
  title: "Exports",
  about:
    "Runs written to object storage, once an hour or once a day, or sent to a receiver of OpenTelemetry as spans. What fails is tried again.",
  one: "export",
  icon: "data",
  empty: [
    "No exports yet",
    "Have the runs of each hour or day written to your own storage, or download them from the page of runs.",
  ],
  role: "admin",
  idOf: ({ name }) => name,
  nameOf: ({ name }) => name,
  subOf: (row) => (row.spans === null ? `${FORMATS[row.format]}, every ${row.every}` : "OpenTelemetry"),
  columns: [
    { title: "To", cell: targetOf },
    { title: "State", cell: stateOf },
    { title: "Written up to", kind: "moment", cell: ({ written_to }) => formatMoment(written_to) },
  ],
  factsOf: (row) => [
    ["Format", FORMATS[row.format] + (row.focus_version === null ? "" : ` ${row.focus_version}`)],
    ["Every", row.every],
    ["To", targetOf(row)],
    ...fileFacts(row),
    ["State", stateOf(row)],
    ...spanFacts(row),
    ["Written up to", formatMoment(row.written_to)],
    ["Since", formatMoment(row.created_at)],
  ],
  create: {
    title: "New export",
    save: "Create export",
    fields: [
      { name: "name", label: "Name", kind: "text", required: true, inPath: true, placeholder: "warehouse" },
      ...FIELDS,
    ],
    bodyOf,
    put: (form) => `exports/${encodeURIComponent(form.get("name")?.trim() ?? "")}`,
  },
  change: { method: "PUT", fields: FIELDS, keeps: ["focus_version"], bodyOf },
  actions: [
    { ...DELETE, confirm: ({ name }) => `Nothing more is written for ${name}. What was written stays.` },
  ],
  below: windowsOf,
};
