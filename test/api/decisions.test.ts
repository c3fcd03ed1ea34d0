import { describe, expect, test } from "vitest";
import { newSpender } from "../support/ledger.ts";
import { call, serve } from "../support/worker.ts";

describe("a decision", () => {
  test("reserves the amount until it is released", async () => {
    const org = await newSpender();
    const allowed = await org.decide("1.5");
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get("x-svc-decided")).toBe("object");
    expect(allowed.body).toMatchObject({ decision: "allow", reservation: { amount_usd: "1.50" } });
    expect((await org.release(allowed.body.reservation.id)).status).toBe(204);
    expect((await org.release(allowed.body.reservation.id)).status).toBe(204);
    expect((await org.release("rsv_00000000000000000000000000")).status).toBe(404);
  });

  test("repeated with its request id returns the same verdict and the same reservation", async () => {
    const org = await newSpender();
    const first = await org.decide("1", { request_id: "q" });
    const again = await org.decide("1", { request_id: "q" });
    expect(again.body).toEqual(first.body);
    const other = await org.decide("2", { request_id: "q" });
    expect([other.status, other.body.error.code]).toEqual([409, "conflict"]);
  });

  test("without an amount, or for a model without a price, is refused", async () => {
    const org = await newSpender();
    const fields = async (body: object) => (await org.decide("1", body)).body.error.details.fields[0];
    expect(await fields({ estimate: {} })).toMatchObject({ field: "estimate.cost_usd", code: "required" });
    expect(await fields({ estimate: { input_tokens: 1 } })).toMatchObject({
      field: "model",
      code: "required",
    });
    expect(await fields({ model: "m", estimate: { input_tokens: 1 } })).toMatchObject({
      field: "model",
      code: "no_price",
    });
  });
});

describe("only the exact path is a decision", () => {
  const ask = JSON.stringify({ estimate: { cost_usd: "0.5" } });
  const sized = { "content-type": "application/json", "content-length": String(ask.length) };

  test.each([
    ["POST", "/v1/runs?x=/v1/edge/decision", 422],
    ["POST", "/v1/runs/?x=/v1/edge/decision", 404],
    ["POST", "/x/v1/edge/decision", 404],
    ["POST", "//v1/edge/decision", 404],
    ["POST", "/v1/edge/decision/", 404],
    ["POST", "/v1/edge/decision?", 200],
    ["POST", "/?x=/v1/edge/decision", 404],
    ["POST", "/v1/edge/decision?x=/v1/edge/decision", 200],
    ["POST", "/v1/edge/%2e%2e/runs?/v1/edge/decision", 422],
  ])("%s %s", async (method, path, status) => {
    const org = await newSpender();
    // The isolate now knows the key.
    expect((await org.decide("1")).status).toBe(200);
    const answer = await call(method, path, { key: org.key, body: ask, headers: sized });
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.headers.get("x-svc-decided")).toBeNull();
  });

  test("on any host, and only by its path", async () => {
    const org = await newSpender();
    await org.decide("1");
    const headers = { authorization: `Bearer ${org.key}`, ...sized };
    const init = { method: "POST", headers, body: ask };
    for (const host of ["http://sluice.test:8787", "https://[::1]", "http://sluice.test."]) {
      expect((await serve(`${host}/v1/edge/decision`, init)).status).toBe(200);
    }
    expect((await serve("http://sluice.test?/v1/edge/decision", init)).status).toBe(404);
    expect((await serve("http://sluice.test/#/v1/edge/decision", init)).status).toBe(404);
  });
});
