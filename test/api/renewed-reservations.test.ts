import { describe, expect, test } from "vitest";
import { newSpender, type Spender } from "../support/ledger.ts";
import { holdsOf } from "../support/holds.ts";
import { rowsOf } from "../support/rows.ts";
import { type Answer, call, newOrg } from "../support/worker.ts";
import { AUDIT_ROWS } from "../support/logs.ts";

const codeOf = ({ body }: Answer): string | null => body?.error?.code ?? null;

const renew = (org: Pick<Spender, "key">, id: string, body: object = {}) =>
  call("POST", `/v1/edge/decision/${id}/renew`, { key: org.key, body });

async function made(limit = "10", more: object = {}) {
  const org = await newSpender();
  const body = { scope_kind: "org", limit_usd: limit, period: "month", mode: "enforce" };
  const budgetId = (await org.send("POST", "budgets", body)).body.id as string;
  const { body: verdict } = await org.decide("2", { hold_seconds: 30, ...more });
  const id = verdict.reservation.id as string;
  const reserved = async () => (await org.send("GET", `budgets/${budgetId}`)).body.reserved_usd as string;
  return { org, id, budgetId, reserved };
}

describe("renewing a reservation", () => {
  test("keeps it for so long from now on, with its amount", async () => {
    const { org, id, reserved } = await made();
    await org.advance(20);
    const { status, body } = await renew(org, id, { hold_seconds: 120 });
    expect(status).toBe(200);
    expect(body.reservation).toMatchObject({ id, amount_usd: "2.00" });
    await org.advance(100);
    expect(await reserved()).toBe("2.00");
    await org.advance(30);
    expect(await reserved()).toBe("0.00");
    expect(
      await rowsOf(org.id, `SELECT target FROM ${AUDIT_ROWS} WHERE action = 'reservation.renewed'`),
    ).toEqual([{ target: id }]);
  });

  test("with more, checks the limits; where they refuse, it stays as it was", async () => {
    const { org, id, reserved } = await made();
    const before = await holdsOf(org.id);
    const refused = await renew(org, id, { amount_usd: "10.01", hold_seconds: 3600 });
    expect([refused.status, codeOf(refused)]).toEqual([402, "budget_exceeded"]);
    expect(await holdsOf(org.id)).toEqual(before);
    expect(await reserved()).toBe("2.00");
    expect((await renew(org, id, { amount_usd: "10" })).body.reservation.amount_usd).toBe("10.00");
    expect(await reserved()).toBe("10.00");
    expect(codeOf(await org.decide("0.01"))).toBe("budget_exceeded");
  });

  test("with more, is kept as a refusal where it is refused, and can be explained", async () => {
    const { org, id, budgetId } = await made("10", {
      customer_id: "c1",
      workflow_id: "w1",
      on_expiry: "charge",
    });
    const refused = await renew(org, id, { amount_usd: "10.01" });
    const trace_id = refused.headers.get("x-svc-trace-id");
    const listed = (await org.send("GET", `refusals?trace_id=${trace_id}`)).body.data;
    expect(listed).toEqual([
      expect.objectContaining({
        trace_id,
        operation: "POST /v1/edge/decision/{reservation_id}/renew",
        decided: "object",
        status: 402,
        code: "budget_exceeded",
        limit: budgetId,
        customer_id: "c1",
        workflow_id: "w1",
        key_id: expect.stringMatching(/^key_/),
        amount_usd: "10.01",
      }),
    ]);
    expect((await org.send("POST", "explain", { trace_id })).status).toBe(200);
  });

  test("with less, frees the difference", async () => {
    const { org, id, reserved } = await made();
    expect((await renew(org, id, { amount_usd: "0.5" })).status).toBe(200);
    expect(await reserved()).toBe("0.50");
    expect((await org.decide("9.5")).status).toBe(200);
  });

  test("of parallel renewals and decisions, no more is reserved than there is room for", async () => {
    const { org, reserved } = await made("20");
    const ids = await Promise.all(
      [1, 2, 3, 4].map(async () => (await org.decide("2")).body.reservation.id as string),
    );
    const answers = await Promise.all(
      ids.flatMap((id) => [renew(org, id, { amount_usd: "7" }), org.decide("3")]),
    );
    const taken = answers.map(({ status }, at) => (status === 200 ? (at % 2 === 0 ? 5 : 3) : 0));
    const sum = taken.reduce((one, other) => one + other, 10);
    expect(sum).toBeLessThanOrEqual(20);
    expect(await reserved()).toBe(`${sum}.00`);
  });

  test("with checks: all, asks plan, credits and policies for more", async () => {
    const { org, id } = await made("100", { checks: "all", model: "m", customer_id: "c" });
    await org.send("POST", "credit-packs", { customer_id: "c", amount_usd: "3" });
    expect(codeOf(await renew(org, id, { amount_usd: "3.01" }))).toBe("credits_exhausted");
    expect((await renew(org, id, { amount_usd: "3" })).status).toBe(200);
    const rule = { target: "model", effect: "deny", when: "estimate.cost_usd > 2.5", reason: "too dear" };
    await org.send("POST", "policy-rules", rule);
    expect(codeOf(await renew(org, id, { amount_usd: "3.5" }))).toBe("policy_blocked");
    expect((await renew(org, id, { hold_seconds: 60 })).status).toBe(200);
  });

  test("is refused for what has ended, is unknown or is another org's", async () => {
    const { org, id } = await made();
    expect((await renew(org, "rsv_01ARZ3NDEKTSV4RRFFQ69G5FAV")).status).toBe(404);
    const other = await newOrg();
    expect((await renew({ key: other.ownerKey }, id)).status).toBe(404);
    await org.release(id);
    expect([(await renew(org, id)).status, codeOf(await renew(org, id))]).toEqual([409, "conflict"]);
    const settled = (await org.decide("1")).body.reservation.id;
    await org.run({ reservation_id: settled, cost_usd: "1" });
    expect((await renew(org, settled)).status).toBe(409);
    const expired = (await org.decide("1", { hold_seconds: 30 })).body.reservation.id;
    await org.advance(31);
    expect((await renew(org, expired)).status).toBe(409);
    expect((await renew(org, expired, { hold_seconds: 29 })).status).toBe(422);
    expect((await renew(org, expired, { amount_usd: "-1" })).status).toBe(422);
  });
});
