import { type Refusal, refuse } from "../../contract/refusal.ts";
import { unlistOrg } from "../../platform/directory.ts";
import { makeBackup } from "../backup/make.ts";
import { forgetCopies } from "../kernel/copies.ts";
import type { Envelope, OrgEnv, View } from "../kernel/door.ts";
import { transaction } from "../kernel/journal/transaction.ts";
import { perform } from "../kernel/perform/perform.ts";
import { hasFiles } from "../runs/archive/files.ts";
import { loadRegions } from "../residency/rule.ts";
import type { Moved } from "./moved.ts";
import {
  forgetMove,
  leaveBehind,
  type Move,
  moveUnderWay,
  noteArchive,
  noteAttempt,
  noteMove,
  wentTo,
} from "./state.ts";

const FILES_STAY =
  "This organization has files in the archive, which do not move with it. Copy them to the other region's bucket, then send archive_copied: true.";

/** The object that an org leaves. */
interface Place {
  readonly env: OrgEnv;
  readonly orgId: string;
  readonly isOpened: () => boolean;
  readonly view: (envelope: Envelope) => View;
  /** Isolates get no more slices, and have reported what they did with those that they had. */
  readonly closeSlices: () => Promise<void>;
  /** Ends what is under way: refusals that are not stored yet, and due work. False if that takes too long. */
  readonly settle: () => Promise<boolean>;
  /** The org stays: isolates get slices again, and what was due meanwhile is done. */
  readonly goOn: () => void;
  readonly left: () => void;
}

/** The copy of an org that is not changed any more, or what became of an earlier attempt. */
export type Departing =
  | { readonly kind: "copied"; readonly move: Move; readonly archiveId: string; readonly frames: number }
  | { readonly kind: "unknown"; readonly move: Move };

/** How an org goes to another region: its writes wait, a copy is made, and once the copy is there, nothing is left here. */
export class Departure {
  readonly #storage: DurableObjectStorage;
  readonly #place: Place;
  #move: Move | null;
  #movedTo: string | null;
  #hasLeft = false;

  constructor(storage: DurableObjectStorage, place: Place) {
    this.#storage = storage;
    this.#place = place;
    this.#move = place.isOpened() ? moveUnderWay(storage.sql) : null;
    this.#movedTo = place.isOpened() ? null : wentTo(storage.sql);
  }

  /** When the object wakes: a life before may have ended between leaving and this. */
  async unlist(): Promise<void> {
    if (this.#movedTo !== null) await unlistOrg(this.#place.env.DB, this.#place.orgId);
  }

  get isFrozen(): boolean {
    return this.#move !== null;
  }

  /** What an object without an org answers. */
  answer<T>(otherwise: T): T {
    if (this.#movedTo === null) return otherwise;
    const moved: Moved = { movedTo: this.#movedTo };
    return moved as T;
  }

  /** Freezes the org and copies it. A move that never reached the other region is begun anew. */
  async begin(to: string, isArchiveCopied: boolean, envelope: Envelope): Promise<Departing | Refusal> {
    const { view, closeSlices, settle } = this.#place;
    if (!this.#place.isOpened()) return this.answer(refuse("not_found"));
    const { sql } = this.#storage;
    if (this.#move !== null && this.#move.attempt !== null) return { kind: "unknown", move: this.#move };
    const regions = loadRegions(sql);
    if (regions !== null && !regions.includes(to)) return refuse("residency_violation");
    if (!isArchiveCopied && hasFiles(sql)) return refuse("conflict", {}, { message: FILES_STAY });
    await closeSlices();
    const id = crypto.randomUUID();
    transaction(this.#storage, () => noteMove(sql, id, to, Date.now()));
    this.#move = moveUnderWay(sql);
    if (this.#move !== null) void this.#storage.setAlarm(this.#move.until);
    try {
      if (!(await settle())) return this.#giveUp(id);
      const made = perform(this.#storage, view(envelope), { envelope, command: makeBackup, input: {} });
      if (made.code !== null || !("text" in made)) return this.#giveUp(id);
      const { archive_id: archiveId, frames } = JSON.parse(made.text ?? "{}") as {
        archive_id: string;
        frames: number;
      };
      noteArchive(sql, id, archiveId);
      this.#move = moveUnderWay(sql);
      return this.#move?.id === id
        ? { kind: "copied", move: this.#move, archiveId, frames }
        : this.#giveUp(id);
    } catch (error) {
      this.stay(id);
      throw error;
    }
  }

  #giveUp(id: string): Refusal<"service_unavailable"> {
    this.stay(id);
    const message = "The organization has work in progress that does not end. Try again.";
    return refuse("service_unavailable", {}, { message, retryAfterSeconds: 5 });
  }

  /** From now on, only the other region can tell whether it has the org. False: this move is no longer under way. */
  commit(id: string, attempt: string): boolean {
    const isNoted = this.#place.isOpened() && noteAttempt(this.#storage.sql, id, attempt);
    this.#move = this.#place.isOpened() ? moveUnderWay(this.#storage.sql) : null;
    return isNoted;
  }

  /** The org goes on here, as if nothing had been. The caller knows that the other region does not have it. */
  stay(id: string): boolean {
    if (!this.#place.isOpened()) return false;
    const isOver = forgetMove(this.#storage.sql, id);
    this.#move = moveUnderWay(this.#storage.sql);
    if (this.#move !== null) return isOver;
    this.#place.goOn();
    return isOver;
  }

  /** An alarm while nothing may be changed. A move that nobody has gone on with is given up, if it can be. */
  wake(): void {
    const move = this.#move;
    if (move === null) return;
    if (move.attempt === null && Date.now() >= move.until) this.stay(move.id);
    else void this.#storage.setAlarm(Math.max(move.until, Date.now() + 60_000));
  }

  /** The other region has the org. Nothing of it stays here but where it went. */
  async leave(id: string): Promise<boolean> {
    const { env, orgId, isOpened, left } = this.#place;
    const move = this.#move;
    if (!isOpened() || move === null || move.id !== id || move.attempt === null) return false;
    this.#storage.transactionSync(() => leaveBehind(this.#storage.sql, move.toRegion));
    forgetCopies(this.#storage.sql);
    this.#movedTo = move.toRegion;
    this.#hasLeft = true;
    left();
    this.#move = null;
    await this.#storage.deleteAlarm();
    await unlistOrg(env.DB, orgId);
    return true;
  }

  /** This life of the object remembers an org that went. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** An org came here again. */
  returned(): void {
    this.#movedTo = null;
  }
}
