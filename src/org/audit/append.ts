import { type AuditEntry, CHAIN_START, chainHash } from "../../domain/audit-chain.ts";
import { newId } from "../../domain/ulid.ts";
import type { View } from "../door.ts";
import { readEnd, writeEnd } from "./ends.ts";

/**
 * Appends one link to the chain. It follows the head that the service wrote last, not whatever row is last: a row that
 * came in by another way is passed by, and shows.
 */
export function appendAudit(
  view: View,
  entry: Pick<AuditEntry, "action" | "target" | "outcome"> & { detail?: object },
): void {
  const last = view.sql
    .exec<{ seq: number; hash: string }>("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1")
    .toArray()[0];
  const head = readEnd(view, "head") ?? last;
  const full: AuditEntry = {
    seq: (last?.seq ?? 0) + 1,
    id: newId("aud", view.now),
    at: view.now,
    action: entry.action,
    actorKind: view.actor.kind,
    actorId: view.actor.id,
    onBehalfOf: view.actor.onBehalfOf,
    target: entry.target,
    outcome: entry.outcome,
    trace: view.trace,
    address: view.actor.address,
    detail: JSON.stringify(entry.detail ?? {}),
  };
  const hash = chainHash(head?.hash ?? CHAIN_START, full);
  view.sql.exec(
    `INSERT INTO audit (seq, id, at, action, actor_kind, actor_id, on_behalf_of, target, outcome, trace, address, detail, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    full.seq,
    full.id,
    full.at,
    full.action,
    full.actorKind,
    full.actorId,
    full.onBehalfOf,
    full.target,
    full.outcome,
    full.trace,
    full.address,
    full.detail,
    hash,
  );
  writeEnd(view, "head", { seq: full.seq, hash });
}
