import { LeaseClient } from "../../src/gate/lease/lease-client.ts";
import type { Unit } from "../../src/contract/meter-kinds.ts";
import { unitOf } from "../../src/domain/meter/meter.ts";
import { ReservationIds } from "../../src/domain/reservation/reservation-id.ts";
import type { Actor } from "../../src/org/kernel/door.ts";
import type { DecisionAsk } from "../../src/gate/decision/ask.ts";
import { accountKey } from "../../src/gate/decision/account-key.ts";
import type { CallLine } from "../../src/gate/report/call-line.ts";
import type { ReportedHolds, LimitSetLine } from "../../src/gate/report/limit-set-line.ts";
import { holdLine, withInput, withTokens } from "../../src/gate/report/hold-line.ts";
import { readReply, writeAsk } from "../../src/gate/lease/wire.ts";
import { env } from "./worker.ts";

const ACTOR: Actor = { kind: "system", id: "key_test", role: "owner", onBehalfOf: null, address: null };

export const HELD_MS = 900_000;

type LeasedNames = Pick<DecisionAsk, "customer_id" | "workflow_id" | "user_id" | "model" | "tags" | "checks">;

/** What a hold has beside its amount. */
export interface HoldExtras {
  readonly tokens?: number;
  readonly inputTokens?: number;
  /** What the run says that it becomes when it expires. Missing: it is given back. */
  readonly call?: CallLine;
}

/** The lease side of an isolate, controlled by a test: it reports only when told to. */
export class LeaseHolder {
  readonly #leaseClient = new LeaseClient<ReportedHolds>(crypto.randomUUID());
  readonly #org: string;
  /** By how much its clock may be behind. Null: it does not say. */
  lagMs: number | null = 0;
  readonly #ids: ReservationIds;
  #limitSet: LimitSetLine = { keys: [], meters: "", customer: null, keyId: ACTOR.id, rates: [] };
  #units: readonly Unit[] = [];
  #sent = "";

  constructor(org: string) {
    this.#org = org;
    this.#ids = new ReservationIds(env.SVC_KEY_PEPPER, org);
  }

  /** Learns what calls with these names touch, and gets slices worth several calls of this amount. */
  async lease(nanos: bigint, names: LeasedNames = {}, tokens = 0): Promise<void> {
    const ask = { estimate: { cost_usd: "0" }, dry_run: true, ...names };
    const envelope = { actor: ACTOR, trace: "test", idempotency: null, ifMatch: null };
    const verdict = await this.#object().decide({
      ask,
      keyId: ACTOR.id,
      wantsPlan: true,
      envelope,
      report: null,
    });
    const accounts = verdict?.decisionPlan?.accounts ?? [];
    const meters = accounts.map(({ meter }) => meter.id).join(" ");
    const isWhole = names.checks === "all" ? ({ isWhole: true } as const) : {};
    this.#limitSet = {
      keys: accounts.map(accountKey),
      meters,
      customer: names.customer_id ?? null,
      keyId: ACTOR.id,
      rates: [],
      ...isWhole,
    };
    this.#units = accounts.map(({ meter }) => unitOf(meter));
    const amounts = this.#amounts(nanos, tokens);
    for (const [at, slice] of this.#slices().entries()) {
      for (let call = 0; call < 8; call += 1) this.#leaseClient.miss(slice, amounts[at] ?? 0);
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
  hold(
    nanos: bigint,
    orgNow: number,
    name?: string,
    heldMs = HELD_MS,
    { tokens, inputTokens = 0, call }: HoldExtras = {},
  ): string | null {
    const slices = this.#slices();
    const amounts = this.#amounts(nanos, tokens ?? 0);
    if (!this.#leaseClient.take(slices, amounts, Math.min(...slices.map(({ until }) => until - 1))))
      return null;
    const id = name === undefined ? this.#ids.newId(orgNow) : `rsv_${name}`;
    const plain = holdLine({ id, at: orgNow, expiresAt: orgNow + heldMs, nanos });
    const counted = tokens === undefined ? plain : withTokens(plain, tokens);
    const line = call === undefined ? counted : withInput(counted, inputTokens);
    const [named, unnamed] = name === undefined ? [[], [line]] : [[line], []];
    this.#leaseClient.note(call === undefined ? [0, named, unnamed] : [0, named, unnamed, null, call]);
    return id;
  }

  #amounts(nanos: bigint, tokens: number): number[] {
    return this.#units.map((unit) => {
      if (unit === "tokens") return tokens;
      return unit === "usd" ? Number(nanos) : 1;
    });
  }

  async report(now = Date.now()): Promise<void> {
    const { reply } = await this.#send(now);
    if (reply !== null) this.#leaseClient.granted(readReply(reply).grant);
  }

  /** Reports, and never hears what became of it. */
  async reportInVain(now = Date.now()): Promise<void> {
    const { attempt } = await this.#send(now);
    this.#leaseClient.lost(attempt);
  }

  async #send(now: number): Promise<{ attempt: number; reply: string | null }> {
    const ask = this.#leaseClient.ask(now);
    const [touches, lagMs] = [[this.#limitSet], this.lagMs];
    const report = writeAsk({ ask, touches, watch: [], lagMs, heard: null, refusals: null });
    this.#sent = report;
    return { attempt: ask.attempt, reply: await this.#object().syncLeases(report) };
  }

  /** Sends its last report again, as if it had not been answered. */
  async repeat(): Promise<void> {
    await this.#object().syncLeases(this.#sent);
  }

  /** Ends its traffic: it reports, and gives back what it did not use. */
  async end(): Promise<void> {
    while (!this.#leaseClient.idle) await this.report();
  }

  #slices() {
    return this.#limitSet.keys.map((key) => this.#leaseClient.slice(key));
  }

  #object() {
    return env.ORG.getByName(this.#org);
  }
}
