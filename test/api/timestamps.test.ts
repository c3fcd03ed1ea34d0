import { describe, expect, test } from "vitest";
import { aRun, newSpender } from "../support/ledger.ts";
import { call } from "../support/worker.ts";

/** Not RFC 3339, or not a real time. */
const WRONG = [
  "2026-11-15T24:00:00Z",
  "2026-11-15T24:00:00.000Z",
  "2026-11-15T23:60:00Z",
  "2026-11-15T23:59:60Z",
  "2026-11-15T23:59:59+24:00",
  "2026-11-15T23:59:59+23:60",
  "2026-02-29T00:00:00Z",
  "2026-11-31T00:00:00Z",
  "2026-00-01T00:00:00Z",
  "2026-11-15T00:00:00",
  "2026-11-15 00:00:00Z",
  "2026-11-15T00:00Z",
  "20261115T000000Z",
  "+002026-11-15T00:00:00Z",
  "2026-11-15T00:00:00.Z",
  "2026-11-15T00:00:00,5Z",
  // Years that RFC 3339 cannot write in UTC.
  "9999-12-31T23:59:59-14:00",
  "0000-01-01T00:00:00+14:00",
];

const RIGHT: Readonly<Record<string, string>> = {
  "2024-02-29T23:59:59Z": "2024-02-29T23:59:59.000Z",
  "2026-11-15T00:00:00.123456789-00:00": "2026-11-15T00:00:00.123Z",
  "2026-11-15T00:00:00+23:59": "2026-11-14T00:01:00.000Z",
  "2026-11-15T23:59:59.9-00:01": "2026-11-16T00:00:59.900Z",
};

type Send = (moment: string) => Promise<{ status: number; fields: string[] }>;

/** Every place where callers send a time. */
async function waysToSay(): Promise<Record<string, Send>> {
  const org = await newSpender();
  const answered = ({ status, body }: Awaited<ReturnType<typeof call>>) => ({
    status,
    fields: (body?.error?.details?.fields ?? []).map(({ field }: { field: string }) => field),
  });
  const key = { name: "Proxy", role: "viewer" };
  const result = { suite: "s", model: "m", score: 0.5, samples: 10 };
  const get = (path: string) => call("GET", path, { key: org.key });
  return {
    started_at: async (moment) => answered(await org.run({ started_at: moment })),
    ended_at: async (moment) =>
      answered(await org.run({ started_at: "2020-01-01T00:00:00Z", ended_at: moment })),
    "runs[1].started_at": async (moment) =>
      answered(await org.bulk([aRun(), aRun({ started_at: moment, cost_usd: "0.01" })])),
    "runs[0].ended_at": async (moment) =>
      answered(await org.bulk([aRun({ started_at: "2020-01-01T00:00:00Z", ended_at: moment })])),
    not_before: async (not_before) => answered(await org.send("POST", "keys", { ...key, not_before })),
    expires_at: async (expires_at) => {
      const pack = { customer_id: "c", amount_usd: "1", effective_at: "2020-01-01T00:00:00Z" };
      return answered(await org.send("POST", "credit-packs", { ...pack, expires_at }));
    },
    effective_at: async (effective_at) =>
      answered(await org.send("POST", "credit-packs", { customer_id: "c", amount_usd: "1", effective_at })),
    run_at: async (run_at) => answered(await org.send("POST", "evals", { ...result, run_at })),
    from: async (moment) => answered(await get(`/v1/runs?from=${encodeURIComponent(moment)}`)),
    to: async (moment) =>
      answered(await get(`/v1/orgs/${org.id}/audit-log?to=${encodeURIComponent(moment)}`)),
  };
}

describe("every timestamp is RFC 3339", () => {
  test("any other text is refused, naming the field", async () => {
    for (const [field, send] of Object.entries(await waysToSay())) {
      for (const moment of WRONG) {
        expect([field, moment, await send(moment)]).toEqual([
          field,
          moment,
          { status: 422, fields: [field] },
        ]);
      }
    }
  });

  test("every RFC 3339 text is accepted", async () => {
    for (const [field, send] of Object.entries(await waysToSay())) {
      // A pack's end must be in the future.
      for (const past of Object.keys(RIGHT)) {
        const moment = field === "expires_at" ? past.replace("20", "24") : past;
        expect([field, moment, (await send(moment)).status < 300]).toEqual([field, moment, true]);
      }
    }
  });

  test("and is read back as the same instant in UTC", async () => {
    const org = await newSpender();
    for (const [said, read] of Object.entries(RIGHT)) {
      expect((await org.run({ started_at: said })).body.started_at).toBe(read);
    }
  });
});
