import { describe, expect, test } from "vitest";
import { aRun, type Spender } from "../support/ledger.ts";
import { ask, decidedAt, limited, LIMIT_NAMES, refusedAtEdge } from "../support/limited.ts";
import { type Answer, call } from "../support/worker.ts";

/** What an isolate refuses by itself after a reservation was ended through it. */

const LESS = { cost_usd: "0.01", customer_id: "c" };
const ENDS: Record<string, (org: Spender, id: string) => Promise<Answer>> = {
  "is settled for less": (org, reservation_id) => org.run({ ...LESS, reservation_id }),
  "is settled for less in a batch": (org, reservation_id) => org.bulk([aRun({ ...LESS, reservation_id })]),
  "is settled by a body with escapes": (org, id) => {
    const body = JSON.stringify(aRun({ ...LESS, reservation_id: id })).replace(
      "reservation_id",
      "r\\u0065servation_id",
    );
    return call("POST", "/v1/runs", { key: org.key, body });
  },
  "is released": (org, id) => org.release(id),
  "is renewed for less": (org, id) =>
    call("POST", `/v1/edge/decision/${id}/renew`, { key: org.key, body: { amount_usd: "0.01" } }),
  "is settled and its run adjusted": async (org, reservation_id) => {
    const { body: run } = await org.run({ cost_usd: "6", customer_id: "c", reservation_id });
    await refusedAtEdge(org);
    const body = { amount_usd: "-5.99", reason: "r" };
    return call("POST", `/v1/runs/${String(run.id)}/adjustments`, { key: org.key, body });
  },
};

describe.each(LIMIT_NAMES)("with a %s", (limit) => {
  test.each(Object.entries(ENDS))("a call fits again once the previous one %s", async (_how, end) => {
    const org = await limited(limit);
    for (let round = 0; round < 6; round += 1) {
      const allowed = await ask(org);
      expect(allowed.status).toBe(200);
      if (round === 5) await refusedAtEdge(org);
      expect((await end(org, allowed.body.reservation.id)).status).toBeLessThan(300);
    }
    expect((await ask(org)).status).toBe(200);
  });
});

test("a run that ends no reservation leaves the refusals to the isolate", async () => {
  const org = await limited("budget");
  expect((await ask(org)).status).toBe(200);
  await refusedAtEdge(org);
  expect((await org.run({ cost_usd: "0.01" })).status).toBe(201);
  expect(decidedAt(await ask(org))).toBe("edge");
});
