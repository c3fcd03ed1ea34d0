import { toStoredEntry, type AuditEntry, CHAIN_START, chainHash } from "../../../domain/audit/chain.ts";
import { newId } from "../../../domain/bytes/ulid.ts";
import type { View } from "../door.ts";
import { type End, readHead, writeEnd } from "./ends.ts";
import { AUDIT } from "./log.ts";

/**
 * Appends one link to the chain. It follows the head that the service wrote last, not the last row. A row that was
 * added in another way is skipped, and verification finds it.
 */
export function appendAudit(
  view: View,
  entry: Pick<AuditEntry, "action" | "target" | "outcome"> & { detail?: object },
): void {
  const last = lastOf(view);
  const full = toStoredEntry({
    seq: last.seq + 1,
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
  const hash = chainHash(last.hash, full);
  AUDIT.put(view.sql, [
    [
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
    ],
  ]);
  writeEnd(view, "head", { seq: full.seq, hash });
}

/**
 * Returns what the next entry follows. While the last one waits in the write-ahead log, nothing else can be stored
 * after it.
 */
function lastOf({ sql }: View): End {
  const head = readHead(sql);
  if (head !== undefined && AUDIT.isWaiting(sql, head.seq)) return head;
  const last = AUDIT.lastStored(sql);
  return { seq: last?.seq ?? 0, hash: head?.hash ?? last?.hash ?? CHAIN_START };
}
