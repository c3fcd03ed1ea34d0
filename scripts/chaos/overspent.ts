import type { Allow, LimitChange, OrgHistory } from "./history.ts";
import { sum } from "./sum.ts";

/** Where more was admitted than a limit had room for. */
export function overspent({ limits, stored, allows, runs, onlyGrows }: OrgHistory): string[] {
  const most = Math.max(...limits.map(({ nanos }) => nanos));
  const used = stored.spentNanos + stored.reservedNanos;
  const found = used > most ? [`${used} nano-dollars are spent and reserved of ${most}`] : [];
  if (!onlyGrows) return found;
  const alone = sum(
    runs.flatMap((run) => (run.isAcknowledged && run.reservation === null ? [run.nanos] : [])),
  );
  const charged = new Set(stored.runsInTheEnd.map(({ reservation }) => reservation));
  const stays = ({ end, reservation }: Allow) =>
    end === "settled" || end === "charged" || charged.has(reservation);
  const held = allows
    .filter(({ end }) => end !== "released")
    .map((allow) => (stays(allow) ? { ...allow, heldUntil: Number.POSITIVE_INFINITY } : allow));
  return [...found, ...pastTheirLimit(held, limits, alone)];
}

/**
 * At each answer: what was allowed by then and is still held was once held all together, at the latest when the last of it was
 * admitted. That was after each of them was asked, and some limit that could be in force since then must have had room for all.
 */
function pastTheirLimit(allows: readonly Allow[], limits: readonly LimitChange[], alone: number): string[] {
  const found: string[] = [];
  const forGood = { nanos: alone, sentAt: 0 };
  let expiring: Allow[] = [];
  for (const allow of allows.toSorted((one, other) => one.answeredAt - other.answeredAt)) {
    const { answeredAt, reservation } = allow;
    if (allow.heldUntil === Number.POSITIVE_INFINITY) {
      forGood.nanos += allow.nanos;
      forGood.sentAt = Math.max(forGood.sentAt, allow.sentAt);
    } else expiring.push(allow);
    expiring = expiring.filter(({ heldUntil }) => heldUntil > answeredAt);
    const admitted = forGood.nanos + sum(expiring.map(({ nanos }) => nanos));
    const sentAt = expiring.reduce((latest, one) => Math.max(latest, one.sentAt), forGood.sentAt);
    const room = mostInForce(limits, sentAt, answeredAt);
    if (admitted > room) {
      found.push(`with ${reservation}, ${admitted} nano-dollars were admitted of at most ${room}`);
    }
  }
  return found;
}

function mostInForce(limits: readonly LimitChange[], from: number, until: number): number {
  const possible = limits.filter(
    (limit, at) => limit.sentAt <= until && (limits[at + 1]?.answeredAt ?? Number.POSITIVE_INFINITY) >= from,
  );
  return Math.max(...possible.map(({ nanos }) => nanos));
}
