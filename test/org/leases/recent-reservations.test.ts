import { expect, test } from "vitest";
import { requestNumber } from "../../../src/domain/reservation/reservation-id.ts";
import type { DecisionAsk } from "../../../src/gate/decision/ask.ts";
import { newGateCaller } from "../../../src/gate/snapshot/caller.ts";
import type { Background } from "../../../src/gate/lease/background.ts";
import { decideHere, noteDemand } from "../../../src/gate/decision/decision.ts";
import { installPlan } from "../../../src/gate/snapshot/install-plan.ts";
import { Gates } from "../../../src/gate/gates.ts";
import { MOST_SENT, ReservedRequests } from "../../../src/org/leases/reserved-requests.ts";
import { type Budgeted, newBudgeted } from "../../support/budgeted.ts";
import { lengthenLives } from "../../support/lives.ts";
import { env } from "../../support/worker.ts";
import { evict } from "../../support/evict.ts";

/** Another fingerprint with the same request id is a conflict in every isolate once it has reported again. */

const ACTOR = { kind: "system", id: "key_test", role: "owner", onBehalfOf: null, address: null } as const;
const ENVELOPE = { actor: ACTOR, trace: "test", idempotency: null, ifMatch: null };
const CENT = { estimate: { cost_usd: "0.01" } };
const DOLLAR = { estimate: { cost_usd: "1" } };
const CALLS = 8;
const ask = (request_id: string, fields: object = {}): DecisionAsk => ({ request_id, ...CENT, ...fields });

/** The gate of an isolate that decides for the org, and reports when told to. */
class Isolate {
  readonly #org: string;
  readonly #gate = new Gates(() => crypto.randomUUID()).of("org") ?? unavailable();
  readonly #caller;
  /** Whether the object's answers get lost. */
  deaf = false;
  readonly #background: Background = {
    object: () => ({
      syncLeases: async (report) => {
        const reply = await env.ORG.getByName(this.#org).syncLeases(report);
        if (this.deaf) throw new Error("lost");
        return reply;
      },
    }),
    waitUntil: () => undefined,
    now: Date.now,
    wait: (ms) => scheduler.wait(ms),
  };

  constructor(org: string) {
    this.#org = org;
    this.#caller = newGateCaller(
      { id: org, rates: { policies: [] }, checks: "limits", onExpiry: "release" },
      ACTOR.id,
      env.SVC_KEY_PEPPER,
    );
  }

  /** Its slices outlive the test. */
  static async inTraffic(org: Budgeted): Promise<Isolate> {
    lengthenLives();
    const isolate = new Isolate(org.id);
    await isolate.#drive();
    return isolate;
  }

  /** Calls that the object decides, until the isolate has slices. */
  async #drive(): Promise<void> {
    for (let call = 0; call < CALLS; call += 1) {
      const askedAt = Date.now();
      const verdict = await byObject(this.#org, DOLLAR);
      const now = Date.now();
      installPlan(this.#gate, this.#caller, DOLLAR, { verdict, askedAt, now });
      noteDemand(this.#gate, this.#caller, DOLLAR, { now, background: this.#background });
    }
    await this.report();
  }

  /** Null: the object decides. */
  decide(asked: DecisionAsk): "allowed" | "refused" | null {
    const verdict = decideHere(this.#gate, this.#caller, asked, {
      now: Date.now(),
      background: this.#background,
    });
    return verdict === null ? null : typeof verdict === "string" ? "allowed" : "refused";
  }

  report(): Promise<void> {
    return this.#gate.flush(this.#background);
  }

  /** Reports, and gives back what it has left. */
  end(): Promise<void> {
    return this.#gate.close(this.#background);
  }
}

async function byObject(org: string, asked: DecisionAsk) {
  return (
    (await env.ORG.getByName(org).decide({
      ask: asked,
      keyId: ACTOR.id,
      wantsPlan: true,
      envelope: ENVELOPE,
      report: null,
    })) ?? unavailable()
  );
}

function unavailable(): never {
  throw new Error("nothing decides");
}

test("another fingerprint for a request that another isolate has reported is left to the object, which refuses it", async () => {
  const org = await newBudgeted("1000000");
  const [one, two] = [await Isolate.inTraffic(org), await Isolate.inTraffic(org)];
  expect(one.decide(ask("q"))).toBe("allowed");
  expect(one.decide(ask("q", { action: "other" }))).toBe("refused");
  expect(two.decide(ask("p"))).toBe("allowed");
  await one.report();
  await two.report();
  expect(two.decide(ask("q", { action: "other" }))).toBeNull();
  expect((await byObject(org.id, ask("q", { action: "other" }))).refusal?.code).toBe("conflict");
  // The same fingerprint gets the same answer, and all others are decided as before.
  expect(two.decide(ask("q"))).toBeNull();
  const again = JSON.parse((await byObject(org.id, ask("q"))).text ?? "");
  expect(again.reservation.id).toBe(org.idOf({ request_id: "q", ...CENT }));
  expect(two.decide(ask("r"))).toBe("allowed");
  expect(two.decide(CENT)).toBe("allowed");
});

test("before that it gets its own reservation, taken from the limits", async () => {
  const org = await newBudgeted("1000000");
  const [one, two] = [await Isolate.inTraffic(org), await Isolate.inTraffic(org)];
  expect(one.decide(ask("q"))).toBe("allowed");
  expect(two.decide(ask("q", { action: "other" }))).toBe("allowed");
  await Promise.all([one.end(), two.end()]);
  expect((await org.budget()).reserved_usd).toBe(`${2 * CALLS}.02`);
  expect(await org.kept(org.idOf({ request_id: "q", ...CENT }))).toHaveLength(1);
  expect(await org.kept(org.idOf({ request_id: "q", ...CENT, action: "other" }))).toHaveLength(1);
});

test("isolates also know a request that the object decided", async () => {
  const org = await newBudgeted("1000000");
  const isolate = await Isolate.inTraffic(org);
  expect((await byObject(org.id, ask("q"))).refusal).toBeNull();
  expect((await byObject(org.id, { ...ask("dry"), dry_run: true })).refusal).toBeNull();
  await isolate.report();
  expect(isolate.decide(ask("q", { action: "other" }))).toBeNull();
  expect(isolate.decide(ask("dry"))).toBe("allowed");
});

test("a lost answer is sent again with the next", async () => {
  const org = await newBudgeted("1000000");
  const [one, two] = [await Isolate.inTraffic(org), await Isolate.inTraffic(org)];
  expect(one.decide(ask("q"))).toBe("allowed");
  await one.report();
  two.deaf = true;
  expect(two.decide(CENT)).toBe("allowed");
  await two.report();
  two.deaf = false;
  expect(two.decide(CENT)).toBe("allowed");
  await two.report();
  expect(two.decide(ask("q", { action: "other" }))).toBeNull();
  expect(two.decide(ask("r"))).toBe("allowed");
});

test("the object knows its latest requests after a restart, and tells a new isolate", async () => {
  const org = await newBudgeted("1000000");
  const one = await Isolate.inTraffic(org);
  expect(one.decide(ask("q"))).toBe("allowed");
  await one.report();
  await evict(env.ORG.getByName(org.id));
  const two = await Isolate.inTraffic(org);
  expect(two.decide(ask("q", { action: "other" }))).toBeNull();
  expect(two.decide(ask("r"))).toBe("allowed");
});

test("an answer has the requests after its mark, only the latest if there are too many", () => {
  const id = (index: number) => `rsv_${String(index).padStart(26, "0")}`;
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => requestNumber(id(from + index)));
  const requests = new ReservedRequests("1");
  for (let index = 0; index < 3; index += 1) requests.note(id(index));
  const { mark, numbers: first } = requests.since("");
  expect(first).toEqual(numbers(0, 3));
  expect(requests.since(mark)).toEqual({ mark, numbers: [] });
  requests.note(id(3));
  expect(requests.since(mark).numbers).toEqual(numbers(3, 4));
  expect(requests.since("another-life 4").numbers).toEqual(numbers(0, 4));
  for (let index = 4; index < 50_000; index += 1) requests.note(id(index));
  expect(requests.since(mark).numbers).toEqual(numbers(50_000 - MOST_SENT, 50_000));
});
