import { asStored, type AuditEntry, CHAIN_START, chainHash } from "../../../domain/audit-chain.ts";
import { newId } from "../../../domain/ulid.ts";
import type { View } from "../door.ts";
import { writeEnd } from "./ends.ts";

/**
 * Appends one link to the chain. It follows the head that the service wrote last, not the last row. A row that was
 * added in another way is skipped, and verification finds it.
 */
export function appendAudit(
  view: View,
  entry: Pick<AuditEntry, "action" | "target" | "outcome"> & { detail?: object },
): void {
  const { seq, head, last } = view.sql
    .exec<{ seq: number | null; head: string | null; last: string | null }>(
      `SELECT (SELECT MAX(seq) FROM audit) AS seq, (SELECT hash FROM audit_ends WHERE name = 'head') AS head,
         (SELECT hash FROM audit ORDER BY seq DESC LIMIT 1) AS last`,
    )
    .one();
  const full = asStored({
    seq: (seq ?? 0) + 1,
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
  });
  const hash = chainHash(head ?? last ?? CHAIN_START, full);
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
