import { beforeEach, describe, expect, test } from "vitest";
import { createGate } from "../../src/client/gate/index.ts";
import { readBatch } from "../../src/domain/refusal/batch.ts";
import { noteDeletedRefusals } from "../../src/org/span-exports/state.ts";
import { keepRefusals } from "../../src/org/refusals/commands.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { arrivedAt, hanging, takeNetwork } from "../support/receivers.ts";
import { rowsOf } from "../support/rows.ts";
import { TRACE, SPAN, PARENT, exporting, arrived, stateOf, inObject } from "../support/span-exports.ts";
import { call, serve } from "../support/worker.ts";
import { PATIENCE_MS } from "../support/patience.ts";

beforeEach(takeNetwork);

/** The org's first refusal once more, so many milliseconds earlier. */
async function reportLate(org: Spender, earlierMs: number): Promise<void> {
  const [row] = await rowsOf<{ body: string }>(org.id, "SELECT body FROM refusal_batches ORDER BY seq");
  const { notes } = readBatch(JSON.parse(row?.body ?? "") as Parameters<typeof readBatch>[0]);
  const [note] = notes;
  if (note === undefined) throw new Error("nothing was refused");
  const earlier = { ...note, at: note.at - earlierMs };
  await inObject(org, (sql) => keepRefusals({ sql, now: note.at + 1000 }, { notes: [earlier], more: [] }));
}

async function refuse(org: Spender, headers: Record<string, string> = {}) {
  const body = { estimate: { cost_usd: "1000000" }, model: "m", customer_id: "acme" };
  return call("POST", "/v1/edge/decision", { key: org.key, body, headers });
}

const capped = (org: Spender) => org.send("PUT", "spend-cap", { cap_usd: "100" });

describe("each refusal is sent as a span", () => {
  test("below the caller's span, with the limit and the customer", async () => {
    const { org, url } = await exporting();
    await capped(org);
    expect((await refuse(org, { traceparent: PARENT })).status).toBe(402);
    expect((await org.run({ id: "too-much", cost_usd: "101" }, { traceparent: PARENT })).status).toBe(402);
    await org.send("GET", "refusals");
    await org.advance(6);
    const spans = arrived(url);
    expect(spans).toHaveLength(2);
    for (const span of spans) {
      expect([span.traceId, span.parentSpanId]).toEqual([TRACE, SPAN]);
      expect(span.attributes).toMatchObject({
        "error.type": "spend_cap_exceeded",
        "sluice.limit": "spend_cap",
      });
    }
    expect(spans.map(({ attributes }) => attributes["sluice.customer_id"])).toContain("acme");
    const { data } = (await org.send("GET", "refusals")).body;
    expect(new Set(spans.map(({ attributes }) => attributes["sluice.refusal_id"]))).toEqual(
      new Set(data.map(({ id }: { id: string }) => id)),
    );
  });

  test("one that is reported late is sent too, once", async () => {
    const { org, url } = await exporting();
    await capped(org);
    await refuse(org);
    await org.advance(60);
    expect(arrived(url)).toHaveLength(1);
    await reportLate(org, 500);
    await org.advance(60);
    expect(arrived(url)).toHaveLength(2);
    expect(new Set(arrived(url).map(({ spanId }) => spanId)).size).toBe(2);
    await org.advance(60);
    expect(arrived(url)).toHaveLength(2);
    expect(await rowsOf(org.id, "SELECT * FROM late_refusals")).toEqual([]);
  });

  test("one that is reported late, while later ones are on their way, is sent too, once", async () => {
    const hung = hanging();
    const { org, url } = await exporting(() => hung.answer(1));
    await capped(org);
    await org.advance(2);
    await refuse(org);
    const moved = org.advance(60);
    await arrivedAt(url, 1);
    await reportLate(org, 500);
    hung.release();
    await moved;
    await org.advance(60);
    expect(arrived(url)).toHaveLength(2);
    expect(new Set(arrived(url).map(({ spanId }) => spanId)).size).toBe(2);
    expect(await stateOf(org)).toMatchObject({ spans: { sent: 2, dropped: 0 } });
  });

  test("of a gate in the caller's process, below the span of its call, whoever refused", async () => {
    const { org, url } = await exporting();
    await capped(org);
    const gate = createGate({
      key: org.key,
      url: "http://sluice.test",
      fetch: serve,
      timeoutMs: PATIENCE_MS,
    });
    await gate.decide({ estimate: { cost_usd: "0.01" }, model: "m" });
    const tooMuch = { estimate: { cost_usd: "1000000" }, model: "m" };
    const refused = () =>
      expect(gate.decide(tooMuch, { traceparent: PARENT })).rejects.toMatchObject({
        code: "spend_cap_exceeded",
      });
    for (let time = 0; time < 50 && gate.stats.refusedHere === 0; time += 1) await refused();
    expect(gate.stats.refusedHere).toBe(1);
    const count = gate.stats.asked;
    await gate.close();
    await org.send("GET", "refusals");
    await org.advance(6);
    const spans = arrived(url).filter(({ attributes }) => attributes["sluice.refusal_id"] !== undefined);
    expect(spans).toHaveLength(count);
    expect(new Set(spans.map(({ traceId, parentSpanId }) => `${traceId} ${parentSpanId}`))).toEqual(
      new Set([`${TRACE} ${SPAN}`]),
    );
    await gate.close();
  });

  test("of an org without such an export, the caller's span is not stored", async () => {
    const org = await newSpender();
    await capped(org);
    await refuse(org, { traceparent: PARENT });
    await org.send("GET", "refusals");
    const bodies = JSON.stringify(await rowsOf(org.id, "SELECT body FROM refusal_batches"));
    expect(bodies).toContain("spend_cap");
    expect(bodies).not.toContain(SPAN);
  });

  test("those that are only counted, or deleted because there are too many, are counted as dropped", async () => {
    const { org, url } = await exporting();
    await capped(org);
    const hour = Date.now() - (Date.now() % 3_600_000);
    const group = { hour, code: "rate_limited", limit: "l", keyId: null, customerId: null, workflowId: null };
    await inObject(org, (sql, now) =>
      keepRefusals({ sql, now }, { notes: [], more: [{ ...group, count: 7, nanos: 0n }] }),
    );
    await org.advance(6);
    expect(arrived(url)).toEqual([]);
    expect(await stateOf(org)).toMatchObject({ spans: { sent: 0, dropped: 7 } });
    const { refusal_from: from = 0 } =
      (await rowsOf<{ refusal_from: number }>(org.id, "SELECT refusal_from FROM span_exports"))[0] ?? {};
    await inObject(org, (sql) =>
      noteDeletedRefusals(sql, [
        { seq: from - 1, notes: 100 },
        { seq: from, notes: 3 },
      ]),
    );
    expect(await stateOf(org)).toMatchObject({ spans: { dropped: 10 } });
  });
});
