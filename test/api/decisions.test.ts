import { describe, expect, test } from "vitest";
import { newSpender } from "../support/ledger.ts";

describe("a decision", () => {
  test("holds the amount until it is released", async () => {
    const org = await newSpender();
    const allowed = await org.decide("1.5");
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get("x-svc-decided")).toBe("object");
    expect(allowed.body).toMatchObject({ decision: "allow", reservation: { amount_usd: "1.50" } });
    expect((await org.release(allowed.body.reservation.id)).status).toBe(204);
    expect((await org.release(allowed.body.reservation.id)).status).toBe(204);
    expect((await org.release("rsv_00000000000000000000000000")).status).toBe(404);
  });

  test("asked again under its request id is the same verdict and the same hold", async () => {
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
