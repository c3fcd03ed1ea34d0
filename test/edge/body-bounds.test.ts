import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkShape } from "../../src/edge/request/validate.ts";
import { aRun, newSpender } from "../support/ledger.ts";
import { call } from "../support/worker.ts";

const keys = (count: number) => Array.from({ length: count }, (_, at) => `"${at}":0`).join(",");
const metadata = (items: number) => ({ list: Array<number>(items).fill(0) });

describe("a body has a bounded number of values, which is checked before it is parsed", () => {
  test("a bulk of one run with too many unknown fields", async () => {
    const { key } = await newSpender();
    const refused = await call("POST", "/v1/runs/bulk", { key, body: `{"runs":[{${keys(200_001)}}]}` });
    expect(refused.status).toBe(422);
    expect(refused.body.error.details.fields).toEqual([
      {
        field: "body",
        code: "invalid_body",
        message: "must not contain more than 200000 fields",
      },
    ]);
  });

  test("a bulk with as many values as fit, and with more", async () => {
    const org = await newSpender();
    const kept = await org.bulk([aRun({ metadata: metadata(690_000) })]);
    expect(kept.body).toMatchObject({ accepted: 1 });
    for (const headers of [{}, { "idempotency-key": "k" }]) {
      const refused = await org.bulk([aRun({ metadata: metadata(700_000) })], headers);
      expect(refused.status).toBe(422);
      expect(refused.body.error.details.fields[0].message).toBe("must not contain more than 700000 values");
    }
  });

  test("commas, colons and brackets in texts do not count as values", async () => {
    const org = await newSpender();
    const note = '\\":,[{'.repeat(210_000);
    expect((await org.bulk([aRun({ metadata: { note } })])).body).toMatchObject({ accepted: 1 });
  });
});

test("no more field errors are made than are reported", () => {
  const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`f${at}`, 0]));
  let made = 0;
  const told = Object.keys(unknown);
  const counted = new Proxy(told, {
    get: (keysOf, name) => {
      if (typeof name === "string" && /^\d+$/.test(name)) made += 1;
      return Reflect.get(keysOf, name) as unknown;
    },
  });
  const shape = z.unknown().superRefine((_, context) => {
    context.addIssue({ code: "unrecognized_keys", keys: counted, input: unknown });
  });
  const refused = checkShape(shape, unknown, "invalid_body");
  expect(refused).toMatchObject({ code: "validation_failed" });
  expect("details" in refused && (refused.details as { fields: unknown[] }).fields).toHaveLength(100);
  expect(made).toBe(100);
});
