import { describe, expect, test } from "vitest";
import { aRun, newSpender, type Spender } from "../../support/ledger.ts";
import { rowsOf } from "../../support/rows.ts";
import { call } from "../../support/worker.ts";

const DAY = 86_400;
const SHORTEST = { runs_days: 3, audit_days: 90, deliveries_days: 7 };
const RUN = { id: "r1", cost_usd: "7", metadata: { b: 1, a: [2] }, customer_id: "c1" };

async function purged(run: object = RUN): Promise<{ org: Spender; recordedAt: string }> {
  const org = await newSpender();
  await org.send("PUT", "retention-policy", SHORTEST);
  await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "100", period: "total" });
  const made = await org.run(run);
  expect(made.status).toBe(201);
  await org.advance(4 * DAY);
  expect((await call("GET", "/v1/runs", { key: org.key })).body.data).toEqual([]);
  return { org, recordedAt: made.body.recorded_at as string };
}

const spent = async (org: Spender) => (await org.send("GET", "budgets")).body.data[0].spent_usd;

describe("a run that retention deleted", () => {
  test("is a duplicate when it is sent again, and is not charged again", async () => {
    const { org, recordedAt } = await purged();
    const again = await org.run({ ...RUN, metadata: { a: [2], b: 1 }, input: "anything" });
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({
      id: "r1",
      cost_usd: "7.00",
      customer_id: "c1",
      metadata: RUN.metadata,
      recorded_at: recordedAt,
      charged_at: recordedAt,
      charges: [],
    });
    expect(await spent(org)).toBe("7.00");
    expect((await call("GET", "/v1/runs/r1", { key: org.key })).status).toBe(404);
  });

  test("is a duplicate in a batch with other runs, even if it was priced from the price book", async () => {
    const { cost_usd: _, ...unpriced } = aRun({ id: "r2", model: "acme/m2" });
    const org = await newSpender();
    await org.send("PUT", "retention-policy", SHORTEST);
    const price = { input_usd_per_mtok: "100000", output_usd_per_mtok: "0" };
    await org.send("PUT", "models/acme%2Fm2", price);
    expect((await org.bulk([unpriced, aRun(RUN)])).body).toMatchObject({ accepted: 2 });
    await org.advance(4 * DAY);
    await org.send("PUT", "models/acme%2Fm2", { ...price, input_usd_per_mtok: "200000" });
    const { body } = await org.bulk([aRun(RUN), aRun({ id: "r3" }), unpriced]);
    expect(body).toMatchObject({ accepted: 1, duplicates: 2 });
    expect(body.results.map((one: { status: string }) => one.status)).toEqual([
      "duplicate",
      "accepted",
      "duplicate",
    ]);
    const alone = await call("POST", "/v1/runs", { key: org.key, body: unpriced });
    expect(alone.body).toMatchObject({ cost_usd: "1.00" });
  });

  test.each([
    { cost_usd: "8" },
    { metadata: { b: 1, a: [3] } },
    { customer_id: "c2" },
    { started_at: "2026-11-15T02:00:01Z" },
    { incurred: true },
    { usage: { input_tokens: 10, output_tokens: 6 } },
  ])("is a conflict when it is sent again with other content: %j", async (change) => {
    const { org } = await purged();
    const other = await org.run({ ...RUN, ...change });
    expect(other.status).toBe(409);
    expect(other.body.error.code).toBe("conflict");
    const mixed = await org.bulk([aRun({ ...RUN, ...change }), aRun()]);
    expect(mixed.body.results[0]).toMatchObject({ status: "rejected", error: { code: "conflict" } });
    expect(await spent(org)).toBe("8.00");
  });

  test("is recognized for 400 days after it was recorded, only in its org, and then forgotten", async () => {
    const { org } = await purged();
    expect((await (await newSpender()).run(RUN)).status).toBe(201);
    await org.advance(395 * DAY);
    expect((await org.run(RUN)).status).toBe(200);
    await org.advance(2 * DAY);
    expect((await org.run(RUN)).status).toBe(201);
    await org.advance(100 * DAY);
    const rows = await rowsOf<{ runs: number }>(
      org.id,
      "SELECT runs FROM run_blocks WHERE recorded_min < ?",
      Date.now() + 100 * DAY * 1000,
    );
    expect(rows).toEqual([]);
  });

  test("leaves none of its content behind", async () => {
    const { org } = await purged({ ...RUN, id: "telling-id", metadata: { name: "telling-name" } });
    const rows = await rowsOf<{ data: ArrayBuffer }>(org.id, "SELECT data FROM run_blocks");
    expect(rows).toHaveLength(1);
    for (const { data } of rows) expect(new TextDecoder("latin1").decode(data)).not.toContain("telling");
  });
});
