import { Purse } from "../../src/gate/lease/purse.ts";
import { ReservationIds } from "../../src/domain/reservation-id.ts";
import type { Actor } from "../../src/org/kernel/door.ts";
import type { DecisionAsk } from "../../src/gate/ask.ts";
import { accountKey } from "../../src/gate/account-key.ts";
import type { ReportedHolds, ReportedTouch } from "../../src/gate/reported-touch.ts";
import { lessonIn } from "../../src/gate/object-verdict.ts";
import { reportedHold } from "../../src/gate/reported-hold.ts";
import { readReply, writeAsk } from "../../src/gate/wire.ts";
import { env } from "./worker.ts";

const ACTOR: Actor = { kind: "system", id: "key_test", role: "owner", onBehalfOf: null, address: null };

export const HELD_MS = 900_000;

type LeasedNames = Pick<DecisionAsk, "customer_id" | "workflow_id" | "user_id" | "model" | "tags">;

/** The lease side of an isolate, controlled by a test: it reports only when told to. */
export class LeaseHolder {
  readonly #purse = new Purse<ReportedHolds>(crypto.randomUUID());
  readonly #org: string;
  /** By how much its clock may be behind. Null for an isolate of an earlier version, which does not say. */
  lagMs: number | null = 0;
  readonly #ids: ReservationIds;
  #touch: ReportedTouch = { keys: [], meters: "", customer: null };

  constructor(org: string) {
    this.#org = org;
    this.#ids = new ReservationIds(env.SVC_KEY_PEPPER, org);
  }

  /** Learns what calls with these names touch, and gets slices worth several calls of this amount. */
  async lease(nanos: bigint, names: LeasedNames = {}): Promise<void> {
    const ask = { estimate: { cost_usd: "0" }, dry_run: true, ...names };
    const envelope = { actor: ACTOR, trace: "test", idempotency: null, ifMatch: null };
    const verdict = await this.#object().decide(ask, ACTOR.id, true, envelope, null);
    const accounts = (verdict === null ? null : lessonIn(verdict))?.accounts ?? [];
    const meters = accounts.map(({ meter }) => meter.id).join(" ");
    this.#touch = { keys: accounts.map(accountKey), meters, customer: names.customer_id ?? null };
    for (const slice of this.#slices()) {
      for (let call = 0; call < 8; call += 1) this.#purse.miss(slice, Number(nanos));
    }
    await this.report();
  }

  get left(): bigint {
    return BigInt(Math.min(...this.#slices().map(({ left }) => left)));
  }

  /** Until when it may hold from all of its slices. */
  get usableUntil(): number {
    return Math.min(...this.#slices().map(({ until }) => until));
  }

  /**
   * Holds from its slices, at a time of the org's clock, as for a caller. Null if there is not enough. `name` is the
   * name of a request id, wherever it is decided.
   */
  hold(nanos: bigint, orgNow: number, name?: string, heldMs = HELD_MS): string | null {
    const slices = this.#slices();
    const amounts = slices.map(() => Number(nanos));
    if (!this.#purse.take(slices, amounts, Math.min(...slices.map(({ until }) => until - 1)))) return null;
    const id = name === undefined ? this.#ids.newId(orgNow) : `rsv_${name}`;
    const line = reportedHold({ id, at: orgNow, expiresAt: orgNow + heldMs, nanos });
    this.#purse.note(name === undefined ? [0, [], [line]] : [0, [line], []]);
    return id;
  }

  async report(now = Date.now()): Promise<void> {
    const ask = this.#purse.ask(now);
    const report = writeAsk({ ask, touches: [this.#touch], watch: [], lagMs: this.lagMs, heard: null });
    const reply = await this.#object().syncLeases(report);
    if (reply !== null) this.#purse.granted(readReply(reply).grant);
  }

  /** Ends its traffic: it reports, and gives back what it did not use. */
  async end(): Promise<void> {
    while (!this.#purse.idle) await this.report();
  }

  #slices() {
    return this.#touch.keys.map((key) => this.#purse.slice(key));
  }

  #object() {
    return env.ORG.getByName(this.#org);
  }
}
