import { expect, test } from "vitest";
import { formatUsd, parseUsd } from "../../src/domain/price/money.ts";
import { aRun, newSpender } from "../support/ledger.ts";
import { call } from "../support/worker.ts";

test("money is exact to the nano-dollar beyond the precision of a double", async () => {
  const org = await newSpender();
  const budget = await org.send("POST", "budgets", {
    scope_kind: "org",
    limit_usd: "999999999.999999999",
    period: "year",
  });
  let oracle = parseUsd("10000000") ?? 0n;
  await org.run({ cost_usd: "10000000" });
  const odd = ["9007199.254740993", "0.000000001", "123456789.987654321", "33.333333333"];
  for (let round = 0; round < 3; round++) {
    const costs = Array.from({ length: 900 }, (_, i) =>
      i % 300 === 299 ? (odd[(round + i) % 4] ?? "0") : "0.000000001",
    );
    const answer = await org.bulk(costs.map((cost_usd) => aRun({ cost_usd })));
    expect(answer.body.accepted).toBe(900);
    oracle += costs.reduce((sum, cost) => sum + (parseUsd(cost) ?? 0n), 0n);
    const read = await org.send("GET", `budgets/${budget.body.id}`);
    expect(read.body.spent_usd).toBe(formatUsd(oracle));
  }
  expect(oracle > 2n ** 53n).toBe(true);
  const left = (parseUsd("999999999.999999999") ?? 0n) - oracle;
  expect((await org.run({ cost_usd: formatUsd(left + 1n) })).status).toBe(402);
  expect((await org.run({ cost_usd: formatUsd(left) })).status).toBe(201);
  expect((await org.run({ cost_usd: "0.000000001" })).status).toBe(402);
});

test.each([
  ["cost_usd", { cost_usd: "-1" }],
  ["cost_usd", { cost_usd: "1e3" }],
  ["cost_usd", { cost_usd: "+1" }],
  ["cost_usd", { cost_usd: " 1" }],
  ["cost_usd", { cost_usd: "1.0000000001" }],
  ["cost_usd", { cost_usd: 1 }],
  ["cost_usd", { cost_usd: "12345678901234567890" }],
  ["started_at", { started_at: "2026-11-15T02:00:00" }],
  ["started_at", { started_at: "yesterday" }],
  ["ended_at", { ended_at: "2026-11-15T01:59:59Z" }],
  ["usage.input_tokens", { usage: { input_tokens: -1, output_tokens: 0 } }],
  ["usage.output_tokens", { usage: { input_tokens: 1, output_tokens: 1.5 } }],
  ["model", { model: undefined }],
  ["chain.parent_run_id", { chain: { chain_id: "x", parent_run_id: "nobody" } }],
  ["customer_id", { customer_id: "é" }],
  ["surprise", { surprise: 1 }],
])("a run with a bad %s (%j) is refused alone and in a batch, and nothing changes", async (field, fields) => {
  const org = await newSpender();
  const named = (answer: { body: { error: { details: { fields: { field: string }[] } } } }) =>
    answer.body.error.details.fields.map((one) => one.field);
  const alone = await org.run(fields);
  expect([alone.status, named(alone)]).toEqual([422, [field]]);
  const batch = await org.bulk([aRun(fields)]);
  expect(batch.status).toBe(422);
  expect(named(batch)).toEqual([`runs[0].${field}`]);
  expect((await call("GET", "/v1/runs", { key: org.key })).body.data).toEqual([]);
});

test("a batch that is empty, has 1001 runs, is not JSON or is too large is refused", async () => {
  const org = await newSpender();
  const send = (body: unknown, headers = {}) =>
    call("POST", "/v1/runs/bulk", { key: org.key, body, headers });
  const code = async (body: unknown, headers = {}) => {
    const answer = await send(body, headers);
    return [
      answer.status,
      answer.body.error.details.fields?.[0]?.field,
      answer.body.error.details.fields?.[0]?.code,
    ];
  };
  expect(await code({ runs: [] })).toEqual([422, "runs", "empty"]);
  expect(await code({ runs: Array.from({ length: 1001 }, () => aRun()) })).toEqual([422, "runs", "too_many"]);
  expect(await code("{")).toEqual([422, "body", "invalid_json"]);
  expect(await code("[]")).toEqual([422, "body", "invalid_body"]);
  expect(await code("{}", { "content-type": "text/plain" })).toEqual([
    422,
    "content-type",
    "invalid_content_type",
  ]);
  const huge = await send({ runs: [aRun({ metadata: { x: "y".repeat(9_000_000) } })] });
  expect([huge.status, huge.body.error.code]).toEqual([413, "payload_too_large"]);
});

test("after a malformed batch, its Idempotency-Key can be used for the corrected batch", async () => {
  const org = await newSpender();
  const headers = { "idempotency-key": "k" };
  expect((await org.bulk([aRun({ cost_usd: "x" })], headers)).status).toBe(422);
  const right = await org.bulk([aRun({ id: "a" })], headers);
  expect(right.body).toMatchObject({ accepted: 1 });
  const replay = await org.bulk([aRun({ id: "a" })], headers);
  expect([replay.text, replay.headers.get("idempotent-replayed")]).toEqual([right.text, "true"]);
});
