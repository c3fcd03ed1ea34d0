import { beginWalk, type ChainBreak, endWalk, type Walk, walkOn } from "../../domain/audit/verify.ts";
import { command, done, query, type View } from "../kernel/door.ts";
import { readEnd } from "../kernel/audit/ends.ts";
import { AUDIT } from "../kernel/audit/log.ts";
import { linkReader } from "../kernel/audit/store.ts";

const STEP = 5_000;

export type Verification = { walk: Walk; breaks: ChainBreak[] | null };

/** One step of a walk along the chain. `breaks` is null until the last step, which compares with the current head. */
export const verifyAuditStep = query({
  refuses: [],
  run(view, input: { walk: Walk | null }): Verification {
    const anchor = readEnd(view, "anchor");
    const from = input.walk ?? beginWalk(anchor);
    const rows = AUDIT.stored(view.sql).some(from.seq, STEP);
    const toLink = linkReader(view);
    const walk = walkOn(
      from,
      rows.map((row) => toLink(row, null)),
    );
    return {
      walk,
      breaks: rows.length === STEP ? null : [...forgedEnds(view), ...endWalk(walk, readEnd(view, "head"))],
    };
  },
});

/** An org has at least the entry of its creation, so it has a head. */
function forgedEnds(view: View): ChainBreak[] {
  const head = readEnd(view, "head");
  const anchor = readEnd(view, "anchor");
  const forged = { kind: "changed", entry_id: null } as const;
  return [
    ...(head?.genuine === true
      ? []
      : [{ ...forged, seq: head?.seq ?? 0, message: "the head is not genuine" }]),
    ...(anchor?.genuine === false
      ? [{ ...forged, seq: anchor.seq, message: "the anchor is not genuine" }]
      : []),
  ];
}

/** Records a finished verification in the trail, and returns it. */
export const recordVerification = command({
  action: null,
  refuses: [],
  run(tx, input: { walk: Walk; breaks: ChainBreak[] }) {
    const { walk, breaks } = input;
    const valid = breaks.length === 0;
    tx.record({
      action: "audit.verified",
      target: null,
      outcome: "read",
      detail: { valid, checked: walk.checked },
    });
    return done(200, {
      valid,
      checked: walk.checked,
      last_seq: walk.seq,
      last_hash: walk.hash,
      breaks,
      verified_at: new Date(tx.now).toISOString(),
    });
  },
});
