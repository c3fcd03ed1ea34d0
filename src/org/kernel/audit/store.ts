import { CHAIN_START } from "../../../domain/audit/chain.ts";
import type { AuditLink } from "../../../domain/audit/export.ts";
import type { View } from "../door.ts";
import { readEnd } from "./ends.ts";

export type AuditRow = {
  seq: number;
  id: string;
  at: number;
  action: string;
  actor_kind: string;
  actor_id: string;
  on_behalf_of: string | null;
  target: string | null;
  outcome: AuditLink["outcome"];
  trace: string;
  address: string | null;
  detail: string;
  hash: string;
};

/** The entry before the first one is the anchor of retention, or none. */
export function linkReader(view: View): (row: AuditRow, previous: AuditRow | null) => AuditLink {
  const start = readEnd(view, "anchor")?.hash ?? CHAIN_START;
  return (row, previous) => ({
    seq: row.seq,
    id: row.id,
    at: row.at,
    action: row.action,
    actorKind: row.actor_kind,
    actorId: row.actor_id,
    onBehalfOf: row.on_behalf_of,
    target: row.target,
    outcome: row.outcome,
    trace: row.trace,
    address: row.address,
    detail: row.detail,
    hash: row.hash,
    previousHash: previous?.hash ?? start,
  });
}
