import type { AuditEntry } from "./chain.ts";
import { csvField } from "../text/csv.ts";

export const EXPORT_FORMATS = ["ndjson", "csv", "ocsf"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** An entry with its position in the chain, so that every hash can be recomputed from an export. */
export type AuditLink = AuditEntry & { readonly previousHash: string; readonly hash: string };

/** An entry as the API shows it. */
export function toAuditJson(link: AuditLink) {
  return {
    id: link.id,
    seq: link.seq,
    created_at: new Date(link.at).toISOString(),
    action: link.action,
    actor: { kind: link.actorKind, id: link.actorId, on_behalf_of: link.onBehalfOf },
    target: link.target,
    outcome: link.outcome,
    trace_id: link.trace,
    address: link.address,
    detail: JSON.parse(link.detail) as Record<string, unknown>,
    prev_hash: link.previousHash,
    hash: link.hash,
  };
}

const COLUMNS: readonly (readonly [string, (link: AuditLink) => string | number | null])[] = [
  ["seq", (link) => link.seq],
  ["id", (link) => link.id],
  ["created_at", (link) => new Date(link.at).toISOString()],
  ["action", (link) => link.action],
  ["actor_kind", (link) => link.actorKind],
  ["actor_id", (link) => link.actorId],
  ["on_behalf_of", (link) => link.onBehalfOf],
  ["target", (link) => link.target],
  ["outcome", (link) => link.outcome],
  ["trace_id", (link) => link.trace],
  ["address", (link) => link.address],
  ["detail", (link) => link.detail],
  ["prev_hash", (link) => link.previousHash],
  ["hash", (link) => link.hash],
];

type Writer = { media: string; header: string; line: (link: AuditLink) => string };

export const EXPORTS: Readonly<Record<ExportFormat, Writer>> = {
  ndjson: {
    media: "application/x-ndjson",
    header: "",
    line: (link) => `${JSON.stringify(toAuditJson(link))}\n`,
  },
  csv: {
    media: "text/csv; charset=utf-8",
    header: `${COLUMNS.map(([name]) => name).join(",")}\r\n`,
    line: (link) => `${COLUMNS.map(([, read]) => csvField(read(link))).join(",")}\r\n`,
  },
  ocsf: { media: "application/x-ndjson", header: "", line: (link) => `${JSON.stringify(toOcsf(link))}\n` },
};

const API_ACTIVITY = 6003;
const ACTIVITIES: readonly (readonly [RegExp, number, string])[] = [
  [/\.(?:created|opened|minted|added|granted|requested)$/, 1, "Create"],
  [/\.(?:read|listed|exported|verified)$/, 2, "Read"],
  [/\.(?:changed|updated|rotated|resumed|suspended|decided|approved|denied|set)$/, 3, "Update"],
  [/\.(?:deleted|revoked|removed|purged|voided|closed)$/, 4, "Delete"],
];

/** OCSF 1.3, class API Activity: https://schema.ocsf.io/1.3.0/classes/api_activity */
function toOcsf(link: AuditLink) {
  const [, activity, name] = ACTIVITIES.find(([ending]) => ending.test(link.action)) ?? [null, 99, "Other"];
  const refused = link.outcome === "refused";
  return {
    category_uid: 6,
    category_name: "Application Activity",
    class_uid: API_ACTIVITY,
    class_name: "API Activity",
    activity_id: activity,
    activity_name: name,
    type_uid: API_ACTIVITY * 100 + activity,
    time: link.at,
    severity_id: refused ? 2 : 1,
    status_id: refused ? 2 : 1,
    status: refused ? "Failure" : "Success",
    metadata: {
      version: "1.3.0",
      product: { name: "Sluice", vendor_name: "Sluice" },
      log_name: "audit",
      uid: link.id,
      sequence: link.seq,
      correlation_uid: link.trace,
    },
    actor: { user: { uid: link.actorId, type_id: 99, type: link.actorKind } },
    api: { operation: link.action, request: { uid: link.trace } },
    src_endpoint: link.address === null ? { name: "internal" } : { ip: link.address },
    resources: link.target === null ? [] : [{ uid: link.target }],
    unmapped: {
      on_behalf_of: link.onBehalfOf,
      prev_hash: link.previousHash,
      hash: link.hash,
      detail: link.detail,
    },
  };
}
