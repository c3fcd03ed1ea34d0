import { afterAll, describe, expect, test } from "vitest";
import { isRefusal } from "../../src/contract/refusal.ts";
import { ReservationIds } from "../../src/domain/reservation/reservation-id.ts";
import { newGateCaller } from "../../src/gate/snapshot/caller.ts";
import { decideHere } from "../../src/gate/decision/decision.ts";
import type { Background } from "../../src/gate/lease/background.ts";
import { OrgGate } from "../../src/gate/org-gate.ts";
import { AllowCache } from "../../src/gate/decision/allow-cache.ts";
import { fingerprintOf } from "../../src/gate/decision/request-fingerprint.ts";
import { call, newOrg } from "../support/worker.ts";
import { useRealLives } from "../support/lives.ts";
import { PATIENCE_MS } from "../support/patience.ts";

useRealLives();

const PEPPER = "p".repeat(32);
const ASK = { request_id: "q", estimate: { cost_usd: "1" } };
const nowhere: Background = {
  object: () => {
    throw new Error("nothing is asked");
  },
  waitUntil: () => undefined,
  now: Date.now,
  wait: () => new Promise(() => undefined),
};
const allows = new AllowCache<OrgGate>();

/** An isolate that has just allowed the request, and not reported it. */
function allowedIn(orgId: string): { ask: (fields: object) => unknown } {
  const gate = new OrgGate(crypto.randomUUID(), allows);
  const caller = newGateCaller(
    { id: orgId, rates: { policies: [] }, checks: "limits", onExpiry: "release" },
    "key_A",
    PEPPER,
  );
  const id = new ReservationIds(PEPPER, orgId).idOf("q", fingerprintOf(ASK), Date.now());
  allows.set({ id, text: `allowed ${orgId}`, gate, batch: gate.leaseClient.batch });
  const ask = (fields: object) =>
    decideHere(gate, caller, { ...ASK, ...fields }, { now: Date.now(), background: nowhere });
  return { ask };
}

describe("an isolate that has allowed a request and not reported it", () => {
  test("repeats its answer, and refuses another fingerprint, whatever its hold time", () => {
    const { ask } = allowedIn("org_A");
    expect(ask({})).toBe("allowed org_A");
    for (const other of [{ action: "other" }, { hold_seconds: 3600 }, { estimate: { cost_usd: "2" } }]) {
      const refusal = ask(other);
      expect(isRefusal(refusal) && refusal.code).toBe("conflict");
    }
    expect(ask({ action: "other", dry_run: true })).toBeNull();
  });

  test("leaves it to the object once it has forgotten the org, because everything was reported by then", () => {
    allowedIn("org_B");
    const caller = newGateCaller(
      { id: "org_B", rates: { policies: [] }, checks: "limits", onExpiry: "release" },
      "key_A",
      PEPPER,
    );
    expect(
      decideHere(new OrgGate(crypto.randomUUID(), allows), caller, ASK, {
        now: Date.now(),
        background: nowhere,
      }),
    ).toBeNull();
  });

  test("does not confuse it with the same request id of another org", () => {
    allowedIn("org_C");
    const caller = newGateCaller(
      { id: "org_D", rates: { policies: [] }, checks: "limits", onExpiry: "release" },
      "key_A",
      PEPPER,
    );
    expect(
      decideHere(new OrgGate(crypto.randomUUID(), allows), caller, ASK, {
        now: Date.now(),
        background: nowhere,
      }),
    ).toBeNull();
  });
});

describe("a call whose body arrives slowly", () => {
  const over = new AbortController();
  afterAll(() => over.abort());

  test("is decided when the body is complete, even in the isolate", async () => {
    const { ownerKey: key, id } = await newOrg();
    const budget = { scope_kind: "org", limit_usd: "1000000", period: "month", mode: "enforce" };
    await call("POST", `/v1/orgs/${id}/budgets`, { key, body: budget });
    const body = { estimate: { cost_usd: "0.01" } };
    const traffic = async () => {
      while (!over.signal.aborted) {
        await call("POST", "/v1/edge/decision", { key, body });
        await scheduler.wait(20);
      }
    };
    const running = Promise.all([traffic(), traffic()]);
    const slow = async () => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      const answer = call("POST", "/v1/edge/decision", { key, stream: readable });
      const bytes = new TextEncoder().encode(JSON.stringify(body));
      await writer.write(bytes.slice(0, 5));
      await scheduler.wait(700);
      const endedAt = Date.now();
      await writer.write(bytes.slice(5));
      await writer.close();
      return { endedAt, answer: await answer };
    };
    let decided = await slow();
    const until = Date.now() + PATIENCE_MS;
    while (Date.now() < until && decided.answer.headers.get("x-svc-decided") !== "edge") {
      decided = await slow();
    }
    over.abort();
    await running;
    expect(decided.answer.headers.get("x-svc-decided")).toBe("edge");
    const late = decided.endedAt - Date.parse(decided.answer.body.evaluated_at);
    expect(late).toBeLessThan(500);
  });
});
