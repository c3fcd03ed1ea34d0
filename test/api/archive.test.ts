import { describe, expect, test, vi } from "vitest";
import { archiveAll, bucket, DAY_SECONDS, filesOf, newArchivist, sendRuns } from "../support/archive.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { call, env, operatorKey, serve } from "../support/worker.ts";
import { AUDIT_ROWS } from "../support/logs.ts";
import { evict } from "../support/evict.ts";

async function listed(key: string, query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = await call("GET", `/v1/runs?${query}${cursor === "" ? "" : `&cursor=${cursor}`}`, { key });
    expect(page.status).toBe(200);
    ids.push(...page.body.data.map(({ id }: { id: string }) => id));
    cursor = page.body.next_cursor;
  }
  return ids;
}

const OLD = Array.from({ length: 1000 }, (_, at) => `old-${at}`);

test("runs older than a day move to a file, and are listed, found and recognized as before", async () => {
  const org = await newArchivist();
  expect(await filesOf(org.id)).toEqual([`${org.id}/runs/000000000001-000000001000.segments`]);
  expect((await sendRuns(org, "new", 10)).body.accepted).toBe(10);
  for (const sort of ["started_at", "cost_usd"]) {
    const found = await listed(org.key, `sort=${sort}&limit=200`);
    expect(found.filter((id) => id.startsWith("old"))).toEqual(OLD);
    expect(found.length).toBe(1010);
  }
  const one = await call("GET", "/v1/runs/old-500", { key: org.key });
  expect(one.body).toMatchObject({ id: "old-500", cost_usd: "0.0000015", model: "acme/m1" });
  const again = await sendRuns(org, "old", 1000);
  expect(again.body).toMatchObject({ accepted: 0, duplicates: 1000, rejected: 0 });
  const other = await org.run({ id: "old-7", model: "acme/other" });
  expect(other.status).toBe(409);
  expect((await call("GET", "/v1/runs/old-1000", { key: org.key })).status).toBe(404);
});

test("an object that wakes knows its archived runs", async () => {
  const org = await newArchivist();
  await evict(env.ORG.getByName(org.id));
  expect((await sendRuns(org, "old", 1000)).body).toMatchObject({ duplicates: 1000 });
  expect((await listed(org.key, "limit=200")).length).toBe(1000);
});

test("names are not sought in archived runs", async () => {
  const org = await newArchivist();
  const names = async () =>
    (await call("GET", `/v1/orgs/${org.id}/usage/names?by=customer_id`, { key: org.key })).body;
  expect(await names()).toEqual({ by: "customer_id", runs: 0, data: [] });
  await org.run({ id: "new-1", customer_id: "late" });
  expect(await names()).toEqual({ by: "customer_id", runs: 1, data: [{ name: "late" }] });
});

test("a row of the object says what a file holds", async () => {
  const org = await newArchivist();
  const [name = ""] = await filesOf(org.id);
  const [row] = await rowsOf(org.id, "SELECT * FROM run_files");
  const started = Date.UTC(2026, 10, 10);
  expect(row).toMatchObject({
    state: "made",
    name,
    runs: 1000,
    bytes: (await bucket().head(name))?.size,
    started_min: started,
    started_max: started + 999_000,
    cost_min: "1000",
    cost_max: "1999",
  });
});

/** Everything that is said about an org's runs, page by page. */
async function everything(org: Spender): Promise<unknown> {
  const get = async (path: string) => {
    const answer = await call("GET", path, { key: org.key });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.text;
  };
  const range = "from=2026-11-01T00:00:00Z&to=2026-11-20T00:00:00Z";
  return {
    filtered: await listed(org.key, "customer_id=cust-3&limit=100"),
    nobody: await listed(org.key, "customer_id=nobody&limit=100"),
    chain: await listed(org.key, "chain_id=chain-1&limit=100"),
    late: await listed(org.key, "from=2026-11-10T00:10:00Z&sort=-cost_usd&limit=100"),
    report: await get(`/v1/orgs/${org.id}/usage/report?${range}&group_by=customer_id`),
    exported: await get(`/v1/runs/export?${range}&format=ndjson`),
    run: await get("/v1/runs/old-7"),
    adjustments: await get("/v1/runs/old-7/adjustments"),
  };
}

async function newTraded(): Promise<Spender> {
  const org = await newSpender();
  const runs = Array.from({ length: 1000 }, (_, at) => ({
    id: `old-${at}`,
    started_at: new Date(Date.UTC(2026, 10, 10) + at * 1000).toISOString(),
    model: `acme/m${at % 3}`,
    customer_id: `cust-${at % 7}`,
    usage: { input_tokens: at, output_tokens: 5, cache_read_tokens: at % 2 },
    cost_usd: `0.00000${1000 + at}`,
    ...(at % 100 === 0 ? { chain: { chain_id: "chain-1" }, metadata: { at } } : {}),
  }));
  expect((await org.bulk(runs)).body.accepted).toBe(1000);
  return org;
}

async function archived(org: Spender): Promise<void> {
  await org.advance(DAY_SECONDS + 3600);
  await expect.poll(() => rowsOf(org.id, "SELECT 1 FROM run_blocks")).toEqual([]);
  expect((await filesOf(org.id)).length).toBe(1);
}

test("lists, reports, exports, adjustments and chains say the same before and after runs are archived", async () => {
  const org = await newTraded();
  const adjust = () =>
    call("POST", "/v1/runs/old-7/adjustments", {
      key: org.key,
      body: { amount_usd: "-0.000000100", reason: "credit" },
    });
  expect((await adjust()).status).toBe(201);
  const before = await everything(org);
  await archived(org);
  expect(await everything(org)).toEqual(before);
  expect((await adjust()).status).toBe(201);
  const { body } = await call("GET", "/v1/runs/old-7", { key: org.key });
  expect(body).toMatchObject({ adjusted_usd: "-0.0000002", net_cost_usd: "0.000000807" });
});

test("a budget whose period changes is recounted from archived runs too", async () => {
  const org = await newSpender();
  const made = await org.send("POST", "budgets", {
    scope_kind: "org",
    limit_usd: "500",
    period: "day",
    mode: "enforce",
  });
  await sendRuns(org, "old", 1000);
  await archived(org);
  await sendRuns(org, "new", 1);
  const changed = await org.send("PATCH", `budgets/${made.body.id}`, { period: "total" });
  expect(changed.body).toMatchObject({ period: "total", spent_usd: "0.0015005" });
});

test("a run and a decision follow an archived run in its chain", async () => {
  const org = await newTraded();
  await org.send("PUT", "chain-budget", { max_depth: 2 });
  await archived(org);
  const chain = { chain_id: "chain-1", parent_run_id: "old-100" };
  expect((await org.run({ chain })).body.chain).toMatchObject({ parent_run_id: "old-100", depth: 2 });
  const decided = await org.decide("0.01", { checks: "all", chain });
  expect(decided.status).toBe(200);
  const unknown = await org.decide("0.01", { checks: "all", chain: { ...chain, parent_run_id: "old-1001" } });
  expect(unknown.status).toBe(422);
});

test("a decision that needs an archived run is not begun among others, and leaves nothing", async () => {
  const org = await newTraded();
  await org.send("PUT", "chain-budget", { max_depth: 2 });
  const made = await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "500", period: "total" });
  await archived(org);
  const spare = { estimate: { cost_usd: "1" } };
  const chain = { chain_id: "chain-1", parent_run_id: "old-100" };
  const actor = { kind: "system", id: "key_test", role: "owner", onBehalfOf: null, address: null };
  const envelope = { actor, trace: "test", idempotency: null, ifMatch: null };
  const asks = [spare, { ...spare, request_id: "one", checks: "all", chain }, spare];
  const asked = JSON.stringify(asks.map((ask) => ({ ask, keyId: actor.id, envelope })));
  const reserved = async () => (await org.send("GET", `budgets/${made.body.id}`)).body.reserved_usd;
  for (const sum of ["2.00", "4.00"]) {
    const decided = await env.ORG.getByName(org.id).decideTogether(asked);
    expect(decided?.answers.map((answer) => typeof answer)).toEqual(["string", "object", "string"]);
    expect(decided?.answers[1]).toBeNull();
    expect(await reserved()).toBe(sum);
  }
  expect((await org.decide("1", { request_id: "one", checks: "all", chain })).status).toBe(200);
  expect(await reserved()).toBe("5.00");
});

/** How often files failed for a reason, by the metrics. */
async function failuresOf(reason = ""): Promise<number> {
  const text = await (await serve("http://sluice.test/metrics")).text();
  const line = text
    .split("\n")
    .find((one) => one.startsWith(`svc_archive_failures_total{reason="${reason}"}`));
  return Number(line?.split(" ").at(-1));
}

const REASONS: Readonly<Record<string, string>> = {
  missing: "missing",
  truncated: "wrong_size",
  damaged: "damaged",
  empty: "wrong_size",
};

describe("a file that is", () => {
  const DAMAGES: Record<string, (name: string, bytes: Uint8Array) => Promise<unknown>> = {
    missing: (name) => bucket().delete(name),
    truncated: (name, bytes) => bucket().put(name, bytes.slice(0, -1000)),
    damaged: (name, bytes) =>
      bucket().put(
        name,
        bytes.map((byte, at) => (at % 50 === 0 ? byte ^ 1 : byte)),
      ),
    empty: (name) => bucket().put(name, new Uint8Array()),
  };
  test.each(Object.keys(DAMAGES))("%s is a clear error for what it held, and nothing else", async (kind) => {
    const org = await newArchivist();
    const [name = ""] = await filesOf(org.id);
    const bytes = new Uint8Array((await (await bucket().get(name))?.arrayBuffer()) ?? new ArrayBuffer());
    await DAMAGES[kind]?.(name, bytes);
    const fails = async (method: string, path: string, body?: object) => {
      const answer = await call(method, path, { key: org.key, ...(body === undefined ? {} : { body }) });
      expect([path, answer.status, answer.body.error?.code]).toEqual([path, 503, "service_unavailable"]);
      // A tenant can do nothing about the file, and is told nothing of it.
      expect(answer.body.error.message).toMatch(/cannot be read now.*Try again later\.$/);
      expect(/segments|file|back/.test(answer.text)).toBe(false);
    };
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const before = await failuresOf(REASONS[kind]);
    await fails("GET", "/v1/runs/old-500");
    await fails("GET", "/v1/runs?limit=10");
    await fails("POST", "/v1/runs/old-3/adjustments", { amount_usd: "1", reason: "x" });
    await fails(
      "GET",
      `/v1/orgs/${org.id}/usage/report?from=2026-11-09T12:00:00Z&to=2026-11-10T12:00:00Z&group_by=model`,
    );
    const mixed = await org.bulk([
      {
        id: "old-500",
        started_at: "2026-11-10T00:00:00Z",
        model: "m",
        usage: { input_tokens: 1, output_tokens: 1 },
        cost_usd: "1",
      },
      {
        id: "fresh",
        started_at: "2026-11-15T00:00:00Z",
        model: "m",
        usage: { input_tokens: 1, output_tokens: 1 },
        cost_usd: "1",
      },
    ]);
    expect(mixed.body).toMatchObject({ accepted: 1, rejected: 1 });
    expect(/segments|back/.test(mixed.text)).toBe(false);
    const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)) as object);
    logged.mockRestore();
    expect(lines).toContainEqual(
      expect.objectContaining({ problem: "archive", org: org.id, file: name, reason: REASONS[kind] }),
    );
    await expect.poll(() => failuresOf(REASONS[kind])).toBeGreaterThanOrEqual(before + 5);
    const backup = await call("GET", `/v1/admin/orgs/${org.id}/backup`, { key: operatorKey() });
    expect([backup.status, backup.body.error.message]).toEqual([503, expect.stringContaining(name)]);
    expect(mixed.body.results[0].error.code).toBe("service_unavailable");
    expect((await call("GET", "/v1/runs/fresh", { key: org.key })).status).toBe(200);
    expect(await listed(org.key, "from=2026-11-14T00:00:00Z&limit=10")).toEqual(["fresh"]);
    expect((await call("GET", "/v1/runs/never", { key: org.key })).status).toBe(404);
    await bucket().put(name, bytes);
    expect((await call("GET", "/v1/runs/old-500", { key: org.key })).status).toBe(200);
  });
});

describe("retention", () => {
  const keep = (org: Spender, runs_days: number, legal_hold = false) =>
    org.send("PUT", "retention-policy", { runs_days, audit_days: 400, deliveries_days: 30, legal_hold });

  test("deletes a file with its runs, which are still recognized", async () => {
    const org = await newArchivist();
    expect((await keep(org, 30)).status).toBe(200);
    await org.advance(29 * DAY_SECONDS);
    await expect.poll(() => filesOf(org.id)).toEqual([]);
    expect((await call("GET", "/v1/runs/old-5", { key: org.key })).status).toBe(404);
    expect(await rowsOf(org.id, "SELECT 1 FROM run_files")).toEqual([]);
    expect((await sendRuns(org, "old", 1000)).body).toMatchObject({ accepted: 0, duplicates: 1000 });
  });

  test("deletes several files in one sweep", async () => {
    const org = await newArchivist();
    await sendRuns(org, "next", 1000);
    await archiveAll(org, async () => (await filesOf(org.id)).length === 2);
    expect((await keep(org, 30)).status).toBe(200);
    await org.advance(40 * DAY_SECONDS);
    await expect.poll(() => filesOf(org.id)).toEqual([]);
    await expect.poll(() => rowsOf(org.id, "SELECT 1 FROM run_files")).toEqual([]);
    expect(await listed(org.key, "limit=200")).toEqual([]);
    await evict(env.ORG.getByName(org.id));
    for (const prefix of ["old", "next"]) {
      expect((await sendRuns(org, prefix, 1000)).body).toMatchObject({ accepted: 0, duplicates: 1000 });
    }
  });

  test("under a legal hold keeps every file", async () => {
    const org = await newArchivist();
    expect((await keep(org, 30, true)).status).toBe(200);
    await org.advance(60 * DAY_SECONDS);
    expect((await filesOf(org.id)).length).toBe(1);
    expect((await call("GET", "/v1/runs/old-5", { key: org.key })).status).toBe(200);
  });

  test("goes on with everything else if a file cannot be read", async () => {
    const org = await newArchivist();
    const [name = ""] = await filesOf(org.id);
    await bucket().delete(name);
    await keep(org, 30);
    await org.advance(40 * DAY_SECONDS);
    const halted = await rowsOf(org.id, `SELECT 1 FROM ${AUDIT_ROWS} WHERE action = 'retention.halted'`);
    expect(halted.length).toBeGreaterThan(0);
    const sweeps = await rowsOf<{ at: number }>(org.id, "SELECT at FROM due WHERE kind = 'retention.sweep'");
    expect(sweeps.length).toBe(1);
  });
});

test("without a bucket, runs stay in the object", async () => {
  const org = await newSpender();
  await sendRuns(org, "old", 1000);
  await withoutBucket(org.id);
  await org.advance(3 * DAY_SECONDS);
  expect(await filesOf(org.id)).toEqual([]);
  expect((await rowsOf(org.id, "SELECT 1 FROM run_blocks")).length).toBe(1);
  expect((await call("GET", "/v1/runs/old-5", { key: org.key })).status).toBe(200);
});

async function withoutBucket(orgId: string): Promise<void> {
  const { runInDurableObject } = await import("cloudflare:test");
  const { bindArchive } = await import("../../src/storage/segments/archive-binding.ts");
  await runInDurableObject(env.ORG.getByName(orgId), (_object, { storage }) =>
    bindArchive(storage.sql, { bucket: null, prefix: `${orgId}/runs/` }),
  );
}
