import { expect, test } from "vitest";
import { ReservationIds } from "../../../src/domain/reservation/reservation-id.ts";
import { accountKey } from "../../../src/gate/decision/account-key.ts";
import { LEASE } from "../../../src/gate/lease/protocol.ts";
import { LeaseClient } from "../../../src/gate/lease/lease-client.ts";
import { holdLine } from "../../../src/gate/report/hold-line.ts";
import type { ReportedHolds, LimitSetLine } from "../../../src/gate/report/limit-set-line.ts";
import { readReply, writeAsk } from "../../../src/gate/lease/wire.ts";
import type { Actor } from "../../../src/org/kernel/door.ts";
import { newSpender, type Spender } from "../../support/ledger.ts";
import { useRealLives } from "../../support/lives.ts";
import { rowsOf } from "../../support/rows.ts";
import { env } from "../../support/worker.ts";
import { evict } from "../../support/evict.ts";

useRealLives();

const CUSTOMERS = 1000;
const NANOS = 10_000_000;
const ACTOR: Actor = { kind: "system", id: "key_test", role: "owner", onBehalfOf: null, address: null };
const ENVELOPE = { actor: ACTOR, trace: "test", idempotency: null, ifMatch: null };

/** What calls of each customer touch. */
async function touchesOf(org: Spender): Promise<LimitSetLine[]> {
  const ask = { estimate: { cost_usd: "0" }, dry_run: true, customer_id: "first" };
  const verdict = await env.ORG.getByName(org.id).decide({
    ask,
    keyId: ACTOR.id,
    wantsPlan: true,
    envelope: ENVELOPE,
    report: null,
  });
  const accounts = verdict?.decisionPlan?.accounts ?? [];
  expect(accounts).toHaveLength(1);
  return Array.from({ length: CUSTOMERS }, (_, at) => {
    const customer = `cus_${at}`;
    const keys = accounts.map((account) => accountKey({ ...account, subject: customer }));
    const meters = accounts.map(({ meter }) => meter.id).join(" ");
    return { keys, meters, customer, keyId: ACTOR.id, rates: [] };
  });
}

/** An isolate with slices of every customer's limit, whose clock and reports a test controls. */
class Isolate {
  readonly leaseClient = new LeaseClient<ReportedHolds>(crypto.randomUUID());
  readonly taken = new Map<string, number>();
  readonly #org: string;
  readonly #limitSets: readonly LimitSetLine[];
  readonly #ids: ReservationIds;
  #now = 0;

  constructor(org: string, touches: readonly LimitSetLine[]) {
    this.#org = org;
    this.#limitSets = touches;
    this.#ids = new ReservationIds(env.SVC_KEY_PEPPER, org);
  }

  /** The object decided a call of each customer. */
  wish(): void {
    for (const { keys } of this.#limitSets) {
      for (const key of keys) this.leaseClient.miss(this.leaseClient.slice(key), NANOS);
    }
  }

  /** A call of every customer of whose limit it has a slice. */
  holdForAll(): void {
    const at = Date.now();
    for (const [index, { keys, customer }] of this.#limitSets.entries()) {
      const slices = keys.map((key) => this.leaseClient.slice(key));
      const until = Math.min(...slices.map((slice) => slice.until));
      if (!this.leaseClient.take(slices, [NANOS], until - 1)) continue;
      const line = holdLine({
        id: this.#ids.newId(at),
        at,
        expiresAt: at + 900_000,
        nanos: NANOS,
      });
      this.leaseClient.note([index, [], [line]]);
      const name = customer ?? "";
      this.taken.set(name, (this.taken.get(name) ?? 0) + NANOS);
    }
  }

  async report(isAnswerLost = false): Promise<void> {
    // Its own clock, so that it is never without calls for long, however busy the machine is.
    this.#now += LEASE.syncMs;
    const ask = this.leaseClient.ask(this.#now);
    const report = writeAsk({
      ask,
      touches: this.#limitSets,
      watch: [],
      lagMs: 0,
      heard: null,
      refusals: null,
    });
    const reply = await env.ORG.getByName(this.#org).syncLeases(report);
    if (reply === null || isAnswerLost) this.leaseClient.lost(ask.attempt);
    else this.leaseClient.granted(readReply(reply).grant);
  }
}

test("what the object holds for each of a thousand customers is what isolates took, through lost answers and restarts", async () => {
  const org = await newSpender();
  await org.send("POST", "customer-limits", { customer_id: "*", limit_usd: "10000", period: "total" });
  const touches = await touchesOf(org);
  const isolates = [new Isolate(org.id, touches), new Isolate(org.id, touches)];
  for (const isolate of isolates) {
    isolate.wish();
    await isolate.report();
    await isolate.report();
  }
  for (const isLost of [true, false, true, true, false]) {
    for (const isolate of isolates) isolate.holdForAll();
    for (const isolate of isolates) await isolate.report(isLost);
    if (isLost) await evict(env.ORG.getByName(org.id));
  }
  for (const isolate of isolates) {
    expect(isolate.taken.size).toBe(CUSTOMERS);
    isolate.leaseClient.end();
    await isolate.report();
  }
  const rows = await rowsOf<{ subject: string; held: string; leased: string }>(
    org.id,
    "SELECT subject, held, leased FROM usage WHERE subject LIKE 'cus_%'",
  );
  const took = (customer: string) => isolates.reduce((sum, { taken }) => sum + (taken.get(customer) ?? 0), 0);
  expect(rows).toHaveLength(CUSTOMERS);
  const wrong = rows.filter(({ subject, held, leased }) => leased !== "0" || Number(held) !== took(subject));
  expect(wrong).toEqual([]);
  expect(await rowsOf(org.id, "SELECT * FROM lease_slices")).toEqual([]);
});
