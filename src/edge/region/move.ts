import { isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import type { Departing } from "../../org/moving/departure.ts";
import type { Move } from "../../org/moving/state.ts";
import type { Call } from "../call.ts";
import { reach } from "../org-door.ts";
import { objectHere } from "./placement.ts";
import { remoteOrg } from "./remote-org.ts";

type Moving = Pick<Call, "env" | "settings" | "envelope" | "org">;

interface Wanted {
  readonly to: string;
  readonly isArchiveCopied: boolean;
}

export interface MovedOrg {
  readonly archiveId: string;
  readonly waitedMs: number;
}

/**
 * Moves an org from this region to another one. Until the other region has it, it can go on here; from the moment that the
 * other region may have it, only that region can tell. So whatever ends this in between, the org is whole in one of them, and
 * the same call again finds out in which and goes on.
 */
export async function moveOrg(
  call: Moving,
  orgId: string,
  { to, isArchiveCopied }: Wanted,
): Promise<MovedOrg | Refusal> {
  const source = objectHere(call.env, call.settings, orgId);
  let departing = await begun(call, orgId, { to, isArchiveCopied });
  if (isRefusal(departing)) return departing;
  if (departing.kind === "unknown") {
    const { move } = departing;
    if (await isThere(call, orgId, move)) return left(call, orgId, move);
    await reach(async () => await source.endMove(move.id, "stayed"));
    departing = await begun(call, orgId, { to, isArchiveCopied });
    if (isRefusal(departing)) return departing;
    if (departing.kind === "unknown")
      return refuse("conflict", {}, { message: "Another move is under way." });
  }
  const refusal = await copied(call, orgId, departing);
  return refusal ?? left(call, orgId, departing.move);
}

async function begun(
  call: Moving,
  orgId: string,
  { to, isArchiveCopied }: Wanted,
): Promise<Departing | Refusal> {
  const envelope = { ...call.envelope(), idempotency: null, ifMatch: null };
  return reach(
    async () => await objectHere(call.env, call.settings, orgId).beginMove(to, isArchiveCopied, envelope),
  );
}

/** Ends an import that may still be under way. True if the other region has the org. */
export function isThere({ env, settings }: Moving, orgId: string, move: Move): Promise<boolean> {
  const target = remoteOrg(env, settings, move.toRegion, orgId);
  return reach(async () => await target.abandonImport(move.archive ?? ""));
}

/** Null: the other region has the org. Otherwise the org stays, if it is known that the other does not have it. */
async function copied(
  call: Moving,
  orgId: string,
  departing: Extract<Departing, { kind: "copied" }>,
): Promise<Refusal | null> {
  const { env, settings } = call;
  const source = objectHere(env, settings, orgId);
  const target = remoteOrg(env, settings, departing.move.toRegion, orgId);
  const { move, archiveId, frames } = departing;
  const attempt = crypto.randomUUID();
  let refusal: Refusal | null;
  try {
    refusal = await staged(call, target, { attempt, archiveId, frames });
  } catch (error) {
    await reach(async () => await source.endMove(move.id, "stayed"));
    throw error;
  }
  if (refusal === null) {
    if (!(await reach(async () => await source.commitMove(move.id, attempt)))) return overtaken();
    const envelope = { ...call.envelope(), idempotency: null, ifMatch: null };
    const done = await reach(async () => await target.finishImport(attempt, envelope));
    if (!isRefusal(done)) return null;
    if (await isThere(call, orgId, { ...move, archive: archiveId })) return null;
    refusal = done;
  }
  await reach(async () => await source.endMove(move.id, "stayed"));
  return refusal;
}

interface Copy {
  readonly attempt: string;
  readonly archiveId: string;
  readonly frames: number;
}

/** Brings the copy to the other region, frame by frame. */
async function staged(
  call: Moving,
  target: ReturnType<typeof remoteOrg>,
  { attempt, archiveId, frames }: Copy,
): Promise<Refusal | null> {
  // An object that an org has left before ends its life first, and takes the org back in the next.
  const begin = await reach(async () => await target.beginImport(attempt, archiveId)).catch(() =>
    reach(async () => await target.beginImport(attempt, archiveId)),
  );
  if (isRefusal(begin)) return begin;
  for (let n = 0; n < frames; n += 1) {
    const read = await call.org.query("backupFrame", { archiveId, n });
    if (isRefusal(read)) return read;
    const { frame } = read.body;
    if (!(await reach(async () => await target.stageImport(attempt, n, frame)))) return overtaken();
  }
  return null;
}

function overtaken(): Refusal<"conflict"> {
  return refuse("conflict", {}, { message: "Another move has taken the place of this one." });
}

async function left({ env, settings }: Moving, orgId: string, move: Move): Promise<MovedOrg> {
  await reach(async () => await objectHere(env, settings, orgId).endMove(move.id, "left"));
  return { archiveId: move.archive ?? "", waitedMs: Date.now() - move.frozenAt };
}
