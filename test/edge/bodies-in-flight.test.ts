import { expect, onTestFinished, test, vi } from "vitest";
import { bodyTimer } from "../../src/body-timer.ts";
import { call, newOrg, operatorKey, serve } from "../support/worker.ts";

const MIB = 1_048_576;

/** A body that sends so much and then nothing, until it is broken off. */
function stalling(bytes: number): {
  stream: ReadableStream<Uint8Array>;
  breakOff: () => void;
  begun: Promise<void>;
} {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  let left = bytes;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (left > 0) {
          const piece = Math.min(left, 65_536);
          left -= piece;
          controller.enqueue(new Uint8Array(piece).fill(32));
          return;
        }
        begun.resolve();
        await end.promise;
        controller.error(new Error("broken off"));
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, breakOff: () => end.resolve(), begun: begun.promise };
}

const RUN = { model: "m", usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: "0.01" };

test("stalled uploads of one key take neither the room of other keys nor that of other orgs", async () => {
  const [org, other] = [await newOrg(), await newOrg()];
  const otherKey = await org.mint("admin");
  const uploads = [stalling(8 * MIB), stalling(8 * MIB)];
  const answers = uploads.map(({ stream }) => call("POST", "/v1/runs/bulk", { key: org.ownerKey, stream }));
  await Promise.all(uploads.map(({ begun }) => begun));
  const bulkOf = (key: string) => {
    const runs = [{ ...RUN, started_at: new Date().toISOString(), metadata: { note: "x".repeat(2 * MIB) } }];
    return call("POST", "/v1/runs/bulk", { key, body: { runs } });
  };
  const small = { key: org.ownerKey, body: { estimate: { cost_usd: "0.01" } } };
  for (const refused of [await bulkOf(org.ownerKey), await call("POST", "/v1/edge/decision", small)]) {
    const { status, body, headers } = refused;
    expect([status, body.error.code, headers.get("retry-after")]).toEqual([503, "service_unavailable", "1"]);
  }
  for (const key of [otherKey, other.ownerKey]) expect((await bulkOf(key)).status).toBe(200);
  for (const { breakOff } of uploads) breakOff();
  for (const answer of await Promise.all(answers)) expect(answer.status).toBe(400);
  expect((await bulkOf(org.ownerKey)).status).toBe(200);
});

test("several large bulks at once are answered with 200 or 503, and afterwards there is room again", async () => {
  const { ownerKey: key } = await newOrg();
  const runs = [{ ...RUN, started_at: new Date().toISOString(), metadata: { note: "x".repeat(6 * MIB) } }];
  const body = JSON.stringify({ runs });
  const send = () => call("POST", "/v1/runs/bulk", { key, body });
  const statuses = (await Promise.all(Array.from({ length: 6 }, send))).map(({ status }) => status);
  expect(statuses.sort((one, other) => one - other)).toEqual([200, 200, 503, 503, 503, 503]);
  expect((await send()).status).toBe(200);
});

const FORM = "application/x-www-form-urlencoded";

test.each([
  ["POST", "/v1/runs", {}],
  ["POST", "/v1/runs/bulk", { "content-length": "500000" }],
  ["POST", "/v1/edge/decision", { "content-length": "100" }],
  ["POST", "/v1/edge/decision", {}],
  ["POST", "/v1/orgs/{id}/budgets", { "content-length": "100" }],
  ["PUT", "/v1/admin/price-book", {}],
  ["POST", "/v1/admin/orgs/import", { "content-type": "application/octet-stream" }],
  ["POST", "/mcp", {}],
  ["POST", "/console/login", { "content-type": FORM, "content-length": "100" }],
  ["POST", "/saml/{id}/acs", { "content-type": FORM }],
] as const)(
  "a body that trickles is given up: %s %s %o",
  async (method, path, headers: Record<string, string>) => {
    const org = await newOrg();
    const clock = { ms: 0 };
    const waiting = new Set<() => void>();
    const mocks = [
      vi.spyOn(bodyTimer, "now").mockImplementation(() => clock.ms),
      vi.spyOn(bodyTimer, "after").mockImplementation((_, end) => {
        waiting.add(end);
        return () => void waiting.delete(end);
      }),
    ];
    onTestFinished(() => {
      for (const mock of mocks) mock.mockRestore();
    });
    const { stream, begun } = stalling(0);
    const key = path.startsWith("/v1/admin") ? operatorKey() : org.ownerKey;
    const at = `http://sluice.test${path.replace("{id}", org.id)}`;
    const sent = { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers };
    const answered = serve(at, { method, headers: sent, body: stream });
    await begun;
    clock.ms = 13_100;
    const [end] = waiting;
    end?.();
    expect((await answered).status).toBe(400);
  },
);
