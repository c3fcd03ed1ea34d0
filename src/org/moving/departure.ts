import type { ErrorCode } from "../../contract/errors.ts";
import { isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import { unlistOrg } from "../../platform/directory.ts";
import { makeBackup, openBackup } from "../backup/make.ts";
import { dropOpened } from "../backup/parts.ts";
import { rollBackCaches } from "../../storage/transactional-cache.ts";
import type { Body, Command, Envelope, OrgEnv, View } from "../kernel/door.ts";
import { transaction } from "../../storage/transaction.ts";
import { perform } from "../kernel/perform/perform.ts";
import { hasDeparted } from "../../storage/segments/archive/departed-files.ts";
import { loadRegions } from "../residency/rule.ts";
import type { MovedAnswer } from "./moved.ts";
import {
  forgetMove,
  leaveBehind,
  type Move,
  moveUnderWay,
  noteArchive,
  noteAttempt,
  noteMove,
  readDestination,
} from "./state.ts";

/** The object that an org leaves. */
interface DepartingObject {
  readonly env: OrgEnv;
  readonly orgId: string;
  readonly isOpened: () => boolean;
  readonly view: (envelope: Envelope) => View;
  /** Isolates get no more slices, and have reported what they did with those that they had. */
  readonly closeSlices: () => Promise<void>;
  /** Ends what is under way: refusals that are not stored yet, and due work. False if that takes too long. */
  readonly settle: () => Promise<boolean>;
  /** Isolates get slices again. */
  readonly openSlices: () => void;
  /** The org stays: what was due meanwhile is done. */
  readonly goOn: () => void;
  readonly left: () => void;
}

/** How far the copy is when the org is frozen. */
export interface ArchiveCopy {
  readonly archiveId: string;
  readonly isArchiveCopied: boolean;
}

/** An archive that was opened, the org as it is not changed any more, or what became of an earlier attempt. */
export type DepartureResult =
  | { readonly kind: "opened"; readonly archiveId: string; readonly head: string; readonly runs: string }
  | { readonly kind: "frozen"; readonly move: Move; readonly parts: number; readonly end: string }
  | { readonly kind: "unknown"; readonly move: Move };

/** How an org goes to another region: its writes wait, a copy is made, and once the copy is there, nothing is left here. */
export class Departure {
  readonly #storage: DurableObjectStorage;
  readonly #place: DepartingObject;
  #move: Move | null;
  #movedTo: string | null;
  #hasLeft = false;
  /** How many callers need slices to be closed, to freeze the org. */
  #closing = 0;
  /** How many callers need the org to stay. */
  #held = 0;

  constructor(storage: DurableObjectStorage, place: DepartingObject) {
    this.#storage = storage;
    this.#place = place;
    this.#move = place.isOpened() ? moveUnderWay(storage.sql) : null;
    this.#movedTo = place.isOpened() ? null : readDestination(storage.sql);
  }

  /** When the object wakes: a life before may have ended between leaving and this. */
  async unlist(): Promise<void> {
    if (this.#movedTo !== null) await unlistOrg(this.#place.env.DB, this.#place.orgId);
  }

  get isFrozen(): boolean {
    return this.#move !== null;
  }

  /** Returns what an object without an org answers. */
  answer<T>(otherwise: T): T {
    if (this.#movedTo === null) return otherwise;
    const moved: MovedAnswer = { movedTo: this.#movedTo };
    return moved as T;
  }

  /** Opens the archive that the org leaves in. Data that never changes is copied before anything is frozen. */
  begin(to: string, envelope: Envelope): DepartureResult | Refusal {
    if (!this.#place.isOpened()) return this.answer(refuse("not_found"));
    if (this.#move !== null && this.#move.attempt !== null) return { kind: "unknown", move: this.#move };
    const regions = loadRegions(this.#storage.sql);
    if (regions !== null && !regions.includes(to)) return refuse("residency_violation");
    const opened = this.#perform(openBackup, {}, envelope);
    if (isRefusal(opened)) return opened;
    return { kind: "opened", archiveId: opened.archive_id, head: opened.head, runs: opened.runs };
  }

  /** Freezes the org and copies its tables. A move that never reached the other region is begun anew. */
  async freeze(to: string, copied: ArchiveCopy, envelope: Envelope): Promise<DepartureResult | Refusal> {
    const early = this.#problem();
    if (early !== null) return early;
    const { closeSlices, openSlices, isOpened } = this.#place;
    this.#closing += 1;
    try {
      await closeSlices();
      // Anything may have happened meanwhile.
      return this.#problem() ?? (await this.#freezeNow(to, copied, envelope));
    } finally {
      this.#closing -= 1;
      if (this.#closing === 0 && this.#move === null && isOpened()) openSlices();
    }
  }

  /** Returns why no move can begin now. */
  #problem(): DepartureResult | Refusal | null {
    if (!this.#place.isOpened()) return this.answer(refuse("not_found"));
    if (this.#held > 0)
      return refuse("conflict", {}, { message: "The organization is being restored. Try again." });
    if (this.#move !== null && this.#move.attempt !== null) return { kind: "unknown", move: this.#move };
    return null;
  }

  async #freezeNow(to: string, copied: ArchiveCopy, envelope: Envelope): Promise<DepartureResult | Refusal> {
    const { sql } = this.#storage;
    const { archiveId, isArchiveCopied } = copied;
    const id = crypto.randomUUID();
    const isNoted = transaction(this.#storage, () =>
      noteMove(sql, { id, toRegion: to, isArchiveCopied }, Date.now()),
    );
    this.#move = moveUnderWay(sql);
    if (!isNoted || this.#move === null) return overtaken();
    void this.#storage.setAlarm(this.#move.until);
    try {
      if (!(await this.#place.settle())) return this.#giveUp(id);
      if (this.#move?.id !== id) return overtaken();
      const making = { archiveId, namesFiles: isArchiveCopied };
      const made = this.#perform(makeBackup, making, envelope);
      if (isRefusal(made)) {
        this.stay(id, null);
        return made;
      }
      noteArchive(sql, id, archiveId);
      const move = moveUnderWay(sql);
      this.#move = move;
      return move?.id === id ? { kind: "frozen", move, ...made } : overtaken();
    } catch (error) {
      this.stay(id, null);
      throw error;
    }
  }

  #perform<I, B extends Body>(command: Command<I, ErrorCode, B>, input: I, envelope: Envelope): B | Refusal {
    const outcome = perform(this.#storage, this.#place.view(envelope), { envelope, command, input });
    return isRefusal(outcome) ? outcome : (JSON.parse(outcome.text ?? "{}") as B);
  }

  #giveUp(id: string): Refusal<"service_unavailable"> {
    this.stay(id, null);
    const message = "The organization has work in progress that does not end. Try again.";
    return refuse("service_unavailable", {}, { message, retryAfterSeconds: 5 });
  }

  /** From now on, only the other region can tell whether it has the org. False if this move is no longer under way. */
  commit(id: string, attempt: string): boolean {
    const isNoted = this.#place.isOpened() && noteAttempt(this.#storage.sql, id, attempt);
    this.#move = this.#place.isOpened() ? moveUnderWay(this.#storage.sql) : null;
    return isNoted;
  }

  /**
   * The org goes on here, as if nothing had been. The caller knows that the other region does not have it, and cannot
   * get it from the attempt that the caller has seen. False if the move is not at that attempt, so the caller knows
   * nothing.
   */
  stay(id: string, attemptSeen: string | null): boolean {
    if (!this.#place.isOpened()) return false;
    const { sql } = this.#storage;
    const archive = this.#move?.id === id ? this.#move.archive : null;
    if (!forgetMove(sql, id, attemptSeen)) return false;
    if (archive !== null) dropOpened(sql, archive);
    this.#move = null;
    if (this.#closing === 0) this.#place.openSlices();
    this.#place.goOn();
    return true;
  }

  /** Does what a move must not overlap. If it is refused, moves can begin again; otherwise not in this life of the object. */
  async staying<T>(act: () => Promise<T>): Promise<T | Refusal<"conflict">> {
    if (this.#move !== null) {
      const message =
        "This organization is being moved to another region. Complete the move or undo it first.";
      return refuse("conflict", {}, { message });
    }
    this.#held += 1;
    const done = await act();
    if (isRefusal(done)) this.#held -= 1;
    return done;
  }

  /** An alarm while nothing may be changed. A move that nobody has gone on with is given up, if it can be. */
  wake(): void {
    const move = this.#move;
    if (move === null) return;
    if (move.attempt === null && Date.now() >= move.until) this.stay(move.id, null);
    else void this.#storage.setAlarm(Math.max(move.until, Date.now() + 60_000));
  }

  /** The other region has the org. Nothing of it stays here but where it went. */
  async leave(id: string): Promise<boolean> {
    const { env, orgId, isOpened, left } = this.#place;
    const move = this.#move;
    if (!isOpened() || move === null || move.id !== id || move.attempt === null) return false;
    const isOver = this.#storage.transactionSync(() => {
      if (!forgetMove(this.#storage.sql, id, move.attempt)) return false;
      leaveBehind(this.#storage.sql, move);
      return true;
    });
    if (!isOver) return false;
    rollBackCaches(this.#storage.sql);
    this.#movedTo = move.toRegion;
    this.#hasLeft = true;
    left();
    this.#move = null;
    await this.#storage.deleteAlarm();
    if (hasDeparted(this.#storage.sql)) await this.#storage.setAlarm(Date.now());
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

function overtaken(): Refusal<"conflict"> {
  const message = "This move was given up, or another one has taken its place.";
  return refuse("conflict", {}, { message });
}
