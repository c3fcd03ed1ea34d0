import { describe, expect, test } from "vitest";
import { newSubscriber, receivedAt, receiver } from "../support/receivers.ts";
import { call } from "../support/worker.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const usage = { input_tokens: 1, output_tokens: 1 };

/** The trace contexts with which the receiver heard of the runs recorded so. */
async function passedOn(...sent: (string | null)[]): Promise<(string | null)[]> {
  const org = await newSubscriber();
  const url = receiver();
  await org.subscribe(url, ["run.recorded"]);
  for (const traceparent of sent) {
    const body = { started_at: "2026-11-01T00:00:00Z", model: "m", usage, cost_usd: "1" };
    const headers = traceparent === null ? {} : { headers: { traceparent } };
    expect((await call("POST", "/v1/runs", { key: org.ownerKey, body, ...headers })).status).toBe(201);
  }
  await org.settle();
  return receivedAt(url).map(({ headers }) => headers.get("traceparent"));
}

describe("a webhook about what a traced request did", () => {
  test("belongs to the caller's trace, with a span of its own and the caller's flags", async () => {
    const [sampled, unsampled] = await passedOn(`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-00`);
    expect(sampled).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(unsampled).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    expect(sampled).not.toContain(SPAN);
  });

  test("has no trace context if the request had none, or a bad one", async () => {
    expect(await passedOn(null, `00-${TRACE}-${SPAN}-zz`, "x".repeat(2000))).toEqual([null, null, null]);
  });
});
