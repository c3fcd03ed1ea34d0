import { describe, expect, test } from "vitest";
import { aRun, newSpender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { call, newOrg, operatorKey } from "../support/worker.ts";

describe("a batch of a thousand runs is recorded whole", () => {
  test("where its metadata is more than one statement takes", async () => {
    const org = await newSpender();
    const metadata = { note: "é".repeat(2500) };
    const runs = Array.from({ length: 1000 }, () => aRun({ cost_usd: "0.01", incurred: true, metadata }));
    const answer = await org.bulk(runs);
    expect([answer.status, answer.body.accepted]).toEqual([200, 1000]);
    const page = (await call("GET", "/v1/runs?limit=200", { key: org.key })).body;
    expect(page.data).toHaveLength(200);
    expect(page.data[199].metadata).toEqual(metadata);
  });

  test("where each run is charged to sixty-four budgets", async () => {
    const org = await newSpender();
    const limit = { scope_kind: "org", limit_usd: "1000", period: "month", mode: "enforce" };
    const budgets = await Promise.all(Array.from({ length: 64 }, () => org.send("POST", "budgets", limit)));
    const answer = await org.bulk(Array.from({ length: 1000 }, () => aRun({ cost_usd: "0.01" })));
    expect([answer.status, answer.body.accepted]).toEqual([200, 1000]);
    const [first, last] = [budgets[0], budgets.at(-1)].map((made) => made?.body.id as string);
    for (const id of [first, last]) {
      expect((await org.send("GET", `budgets/${id}`)).body.spent_usd).toBe("10.00");
    }
  });

  test("where its names are more than one statement takes, and take six bytes for each character", async () => {
    const org = await newSpender();
    const named = (index: number, start: string) => start + `${index}`.padStart(128 - start.length, '"');
    const runs = Array.from({ length: 1000 }, (_, index) =>
      aRun({
        id: named(index, ""),
        model: `${index}`.padStart(200, "\u0001"),
        action: named(index, "a"),
        workflow_id: named(index, "w"),
        deployment_id: named(index, "d"),
        department_id: named(index, "e"),
        customer_id: named(index, "c"),
        cost_usd: "0.01",
        incurred: true,
      }),
    );
    expect((await org.bulk(runs)).body).toMatchObject({ accepted: 1000 });
    const more = runs.map((run) => ({ ...run, id: undefined }));
    expect((await org.bulk(more)).body).toMatchObject({ accepted: 1000 });
    const sums = await rowsOf<{ runs: number }>(org.id, "SELECT DISTINCT runs FROM usage_daily");
    expect(sums.map((row) => row.runs).toSorted((a, b) => a - b)).toEqual([2, 2000]);
  });
});

const LONG_DENIAL = { target: "model", effect: "deny", when: "true", reason: "費".repeat(500) };

test("a bulk whose answer is more than a row takes keeps its facts, and is replayed whole for a day", async () => {
  const org = await newSpender();
  expect((await org.send("POST", "policy-rules", LONG_DENIAL)).status).toBe(201);
  const runs = [
    aRun({ id: "fact", incurred: true }),
    ...Array.from({ length: 999 }, (_, index) => aRun({ id: `denied-${index}` })),
  ];
  const first = await org.bulk(runs, { "idempotency-key": "k" });
  expect([first.status, first.body.accepted, first.body.rejected]).toEqual([200, 1, 999]);
  expect(first.text.length).toBeGreaterThan(600_000);
  const again = await org.bulk(runs, { "idempotency-key": "k" });
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  expect(again.text).toBe(first.text);
  const parts = () => rowsOf(org.id, "SELECT 1 FROM idempotency_parts");
  expect((await parts()).length).toBeGreaterThan(0);
  await org.advance(86_401);
  expect((await org.run({ id: "later", incurred: true }, { "idempotency-key": "other" })).status).toBe(201);
  expect(await parts()).toEqual([]);
});

test("a key that is used again after a day has the answer of its last use", async () => {
  const org = await newSpender();
  expect((await org.send("POST", "policy-rules", LONG_DENIAL)).status).toBe(201);
  const denied = Array.from({ length: 999 }, () => aRun());
  const send = (id: string) =>
    org.bulk([aRun({ id, incurred: true }), ...denied], { "idempotency-key": "k" });
  expect((await send("one")).status).toBe(200);
  await org.advance(86_401);
  const second = await send("two");
  expect([second.status, second.body.results[0].id]).toEqual([200, "two"]);
  expect((await send("two")).text).toBe(second.text);
});

test("an export of the trail has every entry, however large they are", async () => {
  const org = await newOrg();
  const path = `/v1/admin/orgs/${org.id}/rate-limits`;
  const model = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(200, "m"));
  const policies = Array.from({ length: 5 }, (_, index) => ({
    name: `p${index}`,
    match: { model },
    unit: "requests",
    limit: 1_000_000,
    window_seconds: 60,
    kind: "rate",
  }));
  const WRITES = 100;
  const write = async (read_rpm: number) =>
    (await call("PUT", path, { key: operatorKey(), body: { read_rpm, policies } })).status;
  // Each waits until no isolate acts on the limits before it.
  for (let from = 0; from < WRITES; from += 20) {
    const some = Array.from({ length: 20 }, (_, at) => write(1_000_000 + from + at));
    expect(new Set(await Promise.all(some))).toEqual(new Set([200]));
  }
  const window = `from=${today(0)}&to=${today(2)}`;
  const exported = await call("GET", `/v1/orgs/${org.id}/audit-log/export?${window}`, { key: org.ownerKey });
  const entries = exported.text.trim().split("\n");
  expect(exported.text.length).toBeGreaterThan(8_000_000);
  expect(entries.filter((line) => line.includes('"rate_limits'))).toHaveLength(WRITES);
});

function today(plusDays: number): string {
  return new Date(Date.now() + plusDays * 86_400_000 - 3_600_000).toISOString().slice(0, 10);
}

test("sums of tokens beyond what a number holds are told as the largest that it does", async () => {
  const org = await newSpender();
  const usage = { input_tokens: 1e12, output_tokens: 1e12 };
  const runs = Array.from({ length: 1000 }, () => aRun({ cost_usd: "0", usage }));
  for (let batch = 0; batch < 5; batch += 1) expect((await org.bulk(runs)).status).toBe(200);
  const plan = await org.send("GET", "plan");
  expect([plan.status, plan.body.usage?.tokens ?? plan.body.tokens_used]).toEqual([
    200,
    Number.MAX_SAFE_INTEGER,
  ]);
  const read = await org.send("GET", "usage?from=2026-11-01&to=2026-11-30");
  expect([read.status, read.body.by_model[0].tokens]).toEqual([200, Number.MAX_SAFE_INTEGER]);
});

test("each subscription gets every run of a batch that passed a limit", async () => {
  const org = await newSpender();
  await org.send("PUT", "spend-cap", { cap_usd: "0.01" });
  const hooks = await Promise.all(
    ["a", "b", "c"].map((name) =>
      org.send("POST", "webhooks", { url: `http://127.0.0.1:9/${name}`, events: ["run.over_limit"] }),
    ),
  );
  const runs = Array.from({ length: 50 }, (_, index) =>
    aRun({ id: `r${index}`, cost_usd: "1", incurred: true }),
  );
  expect((await org.bulk(runs)).body.accepted).toBe(50);
  for (const hook of hooks) {
    const log = await org.send("GET", `webhooks/${hook.body.id}/deliveries?limit=200`);
    expect(log.body.data).toHaveLength(50);
  }
  const announced = await org.events("run.over_limit");
  expect(announced.map(({ data }) => data["run_id"])).toEqual(runs.map((run) => run["id"]));
});

test("a parameter named like a prototype is unknown under its own name", async () => {
  const org = await newOrg();
  for (const path of ["plan", "budgets"]) {
    const answer = await call("GET", `/v1/orgs/${org.id}/${path}?__proto__=1`, { key: org.ownerKey });
    expect(answer.status).toBe(422);
    expect(answer.body.error.details.fields.map(({ field }: { field: string }) => field)).toEqual([
      "__proto__",
    ]);
  }
});
