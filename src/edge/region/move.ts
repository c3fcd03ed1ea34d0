import { isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import type { DepartureResult } from "../../org/moving/departure.ts";
import { isMoved } from "../../org/moving/moved.ts";
import type { Move } from "../../org/moving/state.ts";
import type { Envelope } from "../../org/kernel/door.ts";
import type { Call } from "../request/call.ts";
import { OrgArchive } from "../object/org-archive.ts";
import { reachObject } from "../object/org-door.ts";
import { objectHere } from "./placement.ts";
import { remoteOrg } from "./remote-org.ts";

type MoveCall = Pick<Call, "env" | "settings" | "envelope" | "org">;

interface MoveTarget {
  readonly to: string;
  readonly isArchiveCopied: boolean;
}

export interface MovedOrg {
  /** Where the org is now. An earlier call may have moved it elsewhere than this one wanted. */
  readonly to: string;
  readonly archiveId: string;
  readonly waitedMs: number;
}

/**
 * Moves an org from this region to another one. Until the other region has it, it can go on here; from the moment that the
 * other region may have it, only that region can tell. So whatever ends this in between, the org is whole in one of them, and
 * the same call again finds out in which and goes on.
 */
export async function moveOrg(
  call: MoveCall,
  orgId: string,
  wanted: MoveTarget,
): Promise<MovedOrg | Refusal> {
  const source = objectHere(call.env, call.settings, orgId);
  let departing = await begun(call, orgId, wanted.to);
  if (isRefusal(departing)) return departing;
  if (departing.kind === "unknown") {
    const { move } = departing;
    if (await isThere(call, orgId, move)) return left(call, orgId, move);
    if (!(await reachObject(async () => await source.endMove(move.id, "stayed", move.attempt))))
      return refuseChanged();
    departing = await begun(call, orgId, wanted.to);
    if (isRefusal(departing)) return departing;
  }
  if (departing.kind !== "opened") return refuseChanged();
  const moved = await copied(call, orgId, { ...wanted, ...departing });
  return isRefusal(moved) ? moved : left(call, orgId, moved);
}

function alone(call: MoveCall): Envelope {
  return { ...call.envelope(), idempotency: null, ifMatch: null };
}

function begun(call: MoveCall, orgId: string, to: string): Promise<DepartureResult | Refusal> {
  return reachObject(async () => await objectHere(call.env, call.settings, orgId).beginMove(to, alone(call)));
}

/** Ends an import that may still be under way. True if the other region has the org. */
export function isThere({ env, settings }: MoveCall, orgId: string, move: Move): Promise<boolean> {
  const target = remoteOrg(env, settings, move.toRegion, orgId);
  return reachObject(async () => await target.abandonImport(move.archive ?? ""));
}

type OpenMove = MoveTarget & Extract<DepartureResult, { kind: "opened" }>;

/** The move, once the other region has the org. Otherwise the org stays, if it is known that the other does not have it. */
async function copied(call: MoveCall, orgId: string, opened: OpenMove): Promise<Move | Refusal> {
  const source = objectHere(call.env, call.settings, orgId);
  const { to, archiveId, isArchiveCopied } = opened;
  const staging = new StagedUpload(call, remoteOrg(call.env, call.settings, to, orgId), opened);
  const early = await staging.begin();
  if (early !== null) {
    await call.org.command("dropBackup", { archiveId }, alone(call));
    return early;
  }
  const frozen = await reachObject(
    async () => await source.freezeMove(to, { archiveId, isArchiveCopied }, alone(call)),
  );
  if (isRefusal(frozen)) return frozen;
  if (frozen.kind !== "frozen") return overtaken();
  const { attempt } = staging;
  const { move } = frozen;
  const committed = { ...move, attempt };
  const stays = (seen: string | null) =>
    reachObject(async () => await source.endMove(move.id, "stayed", seen));
  let refusal: Refusal | null;
  try {
    refusal = await staging.rest(frozen);
  } catch (error) {
    await stays(null);
    throw error;
  }
  if (refusal !== null) {
    await stays(null);
    return refusal;
  }
  if (!(await reachObject(async () => await source.commitMove(move.id, attempt)))) return overtaken();
  refusal = await staging.finish();
  if (refusal === null || (await isThere(call, orgId, committed))) return committed;
  await stays(attempt);
  return refusal;
}

/** A copy on its way to the other region, frame by frame. */
class StagedUpload {
  readonly #call: MoveCall;
  readonly #target: ReturnType<typeof remoteOrg>;
  readonly #opened: OpenMove;
  readonly #archive: OrgArchive;
  readonly attempt = crypto.randomUUID();
  #staged = 0;

  constructor(call: MoveCall, target: ReturnType<typeof remoteOrg>, opened: OpenMove) {
    this.#call = call;
    this.#target = target;
    this.#opened = opened;
    this.#archive = new OrgArchive(call.org, opened, call.settings.SVC_KEY_PEPPER);
  }

  /** Everything that never changes, while the org is used. */
  async begin(): Promise<Refusal | null> {
    const { attempt } = this;
    const { archiveId, isArchiveCopied } = this.#opened;
    // An object that an org has left before ends its life first, and takes the org back in the next.
    const ask = () => reachObject(async () => await this.#target.beginImport(attempt, archiveId));
    const begin = await ask().catch(ask);
    if (isRefusal(begin)) return begin;
    for (const frame of this.#archive.head()) if (!(await this.#stage(frame))) return overtaken();
    return isArchiveCopied ? null : this.#all(this.#archive.runsBefore());
  }

  rest(made: Extract<DepartureResult, { kind: "frozen" }>): Promise<Refusal | null> {
    return this.#all(this.#archive.rest(made, this.#opened.isArchiveCopied));
  }

  async finish(): Promise<Refusal | null> {
    const done = await reachObject(
      async () => await this.#target.finishImport(this.attempt, alone(this.#call)),
    );
    return isRefusal(done) ? done : null;
  }

  async #all(frames: AsyncGenerator<Buffer, Refusal | null>): Promise<Refusal | null> {
    for (;;) {
      const { done, value } = await frames.next();
      if (done === true) return value;
      if (!(await this.#stage(value))) return overtaken();
    }
  }

  async #stage(frame: Buffer): Promise<boolean> {
    const n = this.#staged;
    this.#staged += 1;
    return reachObject(async () => await this.#target.stageImport(this.attempt, n, frame.toString("base64")));
  }
}

function overtaken(): Refusal<"conflict"> {
  const message = "This move was given up, or another one has taken its place.";
  return refuse("conflict", {}, { message });
}

/** Another call has changed the move since this one asked about it. */
export function refuseChanged(): Refusal<"conflict"> {
  const message =
    "Another call has changed this move meanwhile. Send the same call again to learn where it is.";
  return refuse("conflict", {}, { message });
}

/** The other region has the org, so this one must not. A call at the same time may have seen to that already. */
async function left({ env, settings }: MoveCall, orgId: string, move: Move): Promise<MovedOrg | Refusal> {
  const source = objectHere(env, settings, orgId);
  const { toRegion: to, archive, frozenAt } = move;
  if (!(await reachObject(async () => await source.endMove(move.id, "left")))) {
    const now: unknown = await reachObject(async () => await source.whereabouts());
    if (!isMoved(now) || now.movedTo !== to) return refuseChanged();
  }
  return { to, archiveId: archive ?? "", waitedMs: Date.now() - frozenAt };
}
