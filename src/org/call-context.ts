import { ReservationIds } from "../domain/reservation/reservation-id.ts";
import type { Settings } from "../settings.ts";
import { callerRefusal } from "./caller.ts";
import type { Actor, Counts, Credential, Hooks, View } from "./kernel/door.ts";
import type { ObjectGate } from "./leases/gate.ts";
import { loadProfile } from "./orgs/store.ts";
import type { Clock } from "./rate-limits/meters.ts";
import { storedReservationKey } from "./peppers/state.ts";
import type { RefusalDesk } from "./refusals/desk.ts";
import { recordEstimates } from "./runs/estimates.ts";
import { findRun } from "./runs/store.ts";
import { UnreportedHolds } from "./unreported-holds.ts";
import { fanOut } from "./webhooks/fan-out.ts";

const HOOKS: Hooks = { queueEvents: fanOut, callerRefusal, placeInChain: findRun, recordEstimates };

/** The caller, and the id under which the call is logged. */
export interface ViewFor {
  readonly actor: Actor;
  readonly trace: string;
  readonly parent?: string | null;
  readonly credential?: Credential | null;
}

/** The parts that contexts are made of. `isOpened` tells whether the object has an org yet. */
interface ContextParts {
  readonly sql: SqlStorage;
  readonly settings: Settings;
  readonly orgId: string;
  readonly hasBucket: boolean;
  hasEmail(): boolean;
  readonly gate: ObjectGate;
  readonly refusals: RefusalDesk;
  tally(counts: Counts): void;
  isOpened(): boolean;
}

/** The org's clock, and the views of the org that commands and queries get. */
export class CallContexts {
  readonly #parts: ContextParts;
  #unreported: UnreportedHolds | null = null;

  constructor(parts: ContextParts) {
    this.#parts = parts;
  }

  now(): number {
    return this.clock().org;
  }

  clock(): Clock {
    const real = Date.now();
    return { real, org: real + this.#offsetMs() };
  }

  view({ actor, trace, parent = null, credential = null }: ViewFor, now: number = this.now()): View {
    const { sql, settings, orgId, hasBucket, gate, refusals } = this.#parts;
    return {
      sql,
      now,
      actor,
      credential,
      trace,
      parent,
      orgId,
      hasBucket,
      hasEmail: this.#parts.hasEmail(),
      settings,
      hooks: HOOKS,
      profile: () => loadProfile(sql) ?? unopened(),
      mayBeUnreported: (id) => this.holds().mayBe(id),
      reservationIds: () => this.holds().ids,
      rates: () => gate.ratesAt({ real: now - this.#offsetMs(), org: now }),
      refused: (notes) => refusals.note(notes),
      tally: (counts) => this.#parts.tally(counts),
    };
  }

  /** Created at first use, because its ids derive a key. */
  holds(): UnreportedHolds {
    const { sql, settings, orgId } = this.#parts;
    this.#unreported ??= new UnreportedHolds({
      sql,
      ids: new ReservationIds(
        settings.SVC_KEY_PEPPER,
        orgId,
        storedReservationKey(sql, settings) ?? undefined,
      ),
      now: () => this.now(),
      isHere: () => this.#parts.isOpened(),
    });
    return this.#unreported;
  }

  #offsetMs(): number {
    return this.#parts.isOpened() ? (loadProfile(this.#parts.sql)?.clockOffsetMs ?? 0) : 0;
  }
}

function unopened(): never {
  throw new Error("the object has no org");
}
