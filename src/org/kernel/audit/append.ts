import { asStored, type AuditEntry, CHAIN_START, chainHash } from "../../../domain/audit-chain.ts";
import { newId } from "../../../domain/ulid.ts";
import type { View } from "../door.ts";
import { JournalTable } from "../journal/table.ts";
import { type End, readHead, writeEnd } from "./ends.ts";

const LOG = new JournalTable({
  name: "audit",
  columns: [
    "seq",
    "id",
    "at",
    "action",
    "actor_kind",
    "actor_id",
    "on_behalf_of",
    "target",
    "outcome",
    "trace",
    "address",
    "detail",
    "hash",
  ],
  key: ["seq"],
  named: ["seq"],
  changing: [],
});

/**
 * Appends one link to the chain. It follows the head that the service wrote last, not the last row. A row that was
 * added in another way is skipped, and verification finds it.
 */
export function appendAudit(
  view: View,
  entry: Pick<AuditEntry, "action" | "target" | "outcome"> & { detail?: object },
): void {
  const last = lastOf(view);
  const full = asStored({
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
  LOG.put(view.sql, [
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

/** What the next entry follows. While the last one waits in the journal, nothing else can be in the table after it. */
function lastOf({ sql }: View): End {
  const head = readHead(sql);
  if (head !== undefined && LOG.get(sql, head.seq) !== undefined) return head;
  const { seq, hash } = sql
    .exec<{ seq: number | null; hash: string | null }>(
      `SELECT (SELECT MAX(seq) FROM audit) AS seq, (SELECT hash FROM audit ORDER BY seq DESC LIMIT 1) AS hash`,
    )
    .one();
  return { seq: seq ?? 0, hash: head?.hash ?? hash ?? CHAIN_START };
}
