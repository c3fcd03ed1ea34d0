import { isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import type { Settings } from "../../settings.ts";
import type { Envelope, View } from "../kernel/door.ts";
import { deleteDeparted, hasDeparted } from "../../storage/segments/archive/departed-files.ts";
import { didComeFrom, wasImported } from "./archive-origin.ts";
import { type ImportedOrg, importStaged } from "./import.ts";
import { beginStaging, dropStaging, isStaging, sealedAttempt, sealStaging, stageFrame } from "./staging.ts";

/** How long an import may take. */
const STAGED_MS = 15 * 60_000;

/** The object that the org arrives at. */
interface ArrivingObject {
  readonly orgId: string;
  readonly settings: Settings;
  readonly isOpened: () => boolean;
  readonly setOpened: (isOpened: boolean) => void;
  /** True if its storage holds an org. */
  readonly holdsOrg: () => boolean;
  readonly steps: () => Parameters<typeof importStaged>[0]["steps"];
  readonly view: (envelope: Envelope) => View;
  readonly arrived: (view: View) => Promise<void>;
}

/** The org is here, or an import may make it at any time. */
export interface ArrivingOrg {
  readonly homeRegion: string;
  /** The import. Null if the org is here. */
  readonly attempt: string | null;
}

/** How an org comes from an archive: its frames are staged one by one, then it is there as a whole. */
export class Arrival {
  readonly #storage: DurableObjectStorage;
  readonly #place: ArrivingObject;

  constructor(storage: DurableObjectStorage, place: ArrivingObject) {
    this.#storage = storage;
    this.#place = place;
  }

  /** False if the org is here already, and came from this archive. */
  begin(attempt: string, archiveId: string): Refusal<"conflict"> | { begun: boolean } {
    const { sql } = this.#storage;
    if (this.#place.isOpened()) return wasImported(sql, archiveId) ? { begun: false } : existsAlready();
    this.#storage.transactionSync(() => beginStaging(sql, attempt));
    void this.#storage.setAlarm(Date.now() + STAGED_MS);
    return { begun: true };
  }

  stage(attempt: string, n: number, frame: string): boolean {
    return !this.#place.isOpened() && stageFrame(this.#storage.sql, attempt, n, Buffer.from(frame, "base64"));
  }

  /**
   * From now on, this region says that the org may come to be here. Whoever imports an org seals it first and asks all
   * other regions then, so of two imports at the same time at least one learns of the other. False if another import
   * took its place.
   */
  seal(attempt: string): boolean {
    const { sql } = this.#storage;
    return !this.#place.isOpened() && this.#storage.transactionSync(() => sealStaging(sql, attempt));
  }

  /** Null if neither is the org here, nor may an import make it. */
  state(): ArrivingOrg | null {
    const { isOpened, settings } = this.#place;
    const attempt = isOpened() ? null : sealedAttempt(this.#storage.sql);
    return isOpened() || attempt !== null ? { homeRegion: settings.SVC_REGION, attempt } : null;
  }

  /** Gives this import up, and no other. */
  drop(attempt: string): void {
    const { sql } = this.#storage;
    if (!this.#place.isOpened() && isStaging(sql, attempt))
      this.#storage.transactionSync(() => dropStaging(sql));
  }

  /** Ends an import that was begun. True if the org came here from this archive, even if it went on since. */
  abandon(archiveId: string): boolean {
    const { sql } = this.#storage;
    if (this.#place.isOpened()) return wasImported(sql, archiveId);
    if (didComeFrom(sql, archiveId)) return true;
    this.#storage.transactionSync(() => dropStaging(sql));
    return false;
  }

  /** Without an org, an import may have been given up, and files of one that went are to be deleted. */
  async cleanUp(): Promise<void> {
    const { sql } = this.#storage;
    if (!hasDeparted(sql)) return dropStaging(sql);
    // If this fails, the alarm comes again. It may be an import's, which has its time once more then.
    await this.#storage.setAlarm(Date.now() + STAGED_MS);
    await deleteDeparted(sql);
  }

  async finish(attempt: string, envelope: Envelope): Promise<ImportedOrg | Refusal> {
    const { orgId, settings, isOpened, setOpened, holdsOrg, steps, view, arrived } = this.#place;
    if (isOpened()) return existsAlready();
    setOpened(true);
    try {
      const imported = importStaged({
        storage: this.#storage,
        orgId,
        attempt,
        settings,
        steps: steps(),
        view: () => view(envelope),
      });
      setOpened(!isRefusal(imported));
      if (!isRefusal(imported)) await arrived(view(envelope));
      return imported;
    } catch (error) {
      setOpened(holdsOrg());
      throw error;
    }
  }
}

function existsAlready(): Refusal<"conflict"> {
  return refuse("conflict", {}, { message: "This organization exists here already." });
}
