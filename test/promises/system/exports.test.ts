import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askDuckDb } from "../../domain/run/parquet/duckdb.ts";
import { type Fate, type S3Server, startS3 } from "../../support/s3-server.ts";
import { type Caller, callerAt, type ServerFixture, serverFixture } from "../../support/server.ts";

interface Manifest {
  readonly from: string;
  readonly to: string;
  readonly rows: number;
  readonly cost_usd: string;
  readonly files: readonly { name: string; kind: string; rows: number; cost_usd: string; sha256: string }[];
}

const HOUR = 3600;
/** More than one file has: each run comes with this much. */
const METADATA = { note: "x".repeat(4000) };

let fixture: ServerFixture;
let call: Caller;
let s3: S3Server;

beforeAll(async () => {
  s3 = await startS3();
  fixture = await serverFixture({ settings: { SVC_WEBHOOK_ALLOW_PRIVATE: "true" } });
  call = callerAt(fixture.server.urls[0]);
});
afterAll(async () => {
  await fixture.end();
  await s3.close();
});

async function newOrg() {
  const operator = fixture.server.settings["SVC_OPERATOR_KEY"] ?? "";
  const body = { name: "Acme", environment: "test" };
  const made = await call("POST", "/v1/admin/orgs", { key: operator, body });
  const { org, owner_key: key } = made.body as { org: { id: string }; owner_key: string };
  const send = (method: string, path: string, sent?: object) =>
    call(method, `/v1/orgs/${org.id}/${path}`, { key, ...(sent === undefined ? {} : { body: sent }) });
  return {
    key,
    send,
    /** Does what is due by then. */
    async advance(seconds: number): Promise<number> {
      const path = `/v1/admin/orgs/${org.id}/test-clock`;
      const moved = await call("POST", path, { key: operator, body: { advance_seconds: seconds } });
      expect(moved.status).toBe(200);
      return Date.parse(moved.body.now as string);
    },
    async bulk(runs: readonly object[]) {
      const recorded = await call("POST", "/v1/runs/bulk", { key, body: { runs } });
      expect(recorded.body).toMatchObject({ accepted: runs.length });
    },
  };
}
type Org = Awaited<ReturnType<typeof newOrg>>;

const run = (id: string, at: number, more: object = {}) => ({
  id,
  started_at: new Date(at).toISOString(),
  model: "acme/m1",
  usage: { input_tokens: 10, output_tokens: 5 },
  cost_usd: "0.123456789",
  ...more,
});

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const nanos = (text: string) => BigInt(text.replace(/\.(\d+)$/, (_, part: string) => part.padEnd(9, "0")));

/** Every window of an export that is there: complete, and what its manifest says. */
async function verified(name: string): Promise<{ manifest: Manifest; files: Map<string, Buffer> }[]> {
  const keys = (await s3.keys()).filter((key) => key.startsWith(`sluice/usage/${name}/`));
  const folders = [...new Set(keys.map((key) => key.slice(0, key.lastIndexOf("/"))))];
  const windows = [];
  for (const folder of folders) {
    const manifest = JSON.parse((await s3.read(`${folder}/manifest.json`)).toString()) as Manifest;
    const named = [...manifest.files.map((file) => file.name), "manifest.json"].map(
      (file) => `${folder}/${file}`,
    );
    expect(keys.filter((key) => key.startsWith(`${folder}/`)).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(
      named.toSorted((a, b) => (a < b ? -1 : 1)),
    );
    const files = new Map<string, Buffer>();
    for (const file of manifest.files) {
      const bytes = await s3.read(`${folder}/${file.name}`);
      expect(sha256(bytes)).toBe(file.sha256);
      files.set(file.name, bytes);
    }
    expect(manifest.rows).toBe(manifest.files.reduce((sum, file) => sum + file.rows, 0));
    windows.push({ manifest, files });
  }
  return windows;
}

const costOf = (windows: readonly { manifest: Manifest }[]) =>
  windows.reduce((sum, { manifest }) => sum + nanos(manifest.cost_usd), 0n);

async function spent(org: Org): Promise<bigint> {
  const { body } = await org.send("GET", "usage/report?group_by=model");
  return nanos(body.totals.cost_usd as string);
}

/** Moves the clock on, a little at a time, until every window that is over is written. */
async function caughtUp(org: Org, name: string): Promise<void> {
  for (let tries = 0; tries < 40; tries += 1) {
    const { body } = await org.send("GET", `exports/${name}`);
    if (body.lag_seconds === 0) return;
    await org.advance(100);
  }
  throw new Error(`${name} did not catch up`);
}

test("windows are each there once and whole, through failures, slow answers, lost answers and a crash", async () => {
  const org = await newOrg();
  const fates: Fate[] = ["fail", "pass", "slow", "lost", "fail", "lost"];
  s3.fate = (nth) => fates[nth - 1] ?? "pass";
  const set = await org.send("PUT", "exports/all", {
    format: "ndjson",
    every: "hour",
    destination: s3.destination,
  });
  expect(set.status).toBe(200);
  let now = await org.advance(1);
  const ids: string[] = [];
  for (const hour of [1, 2, 3]) {
    for (const part of hour < 3 ? [1, 2, 3] : [1]) {
      const named = Array.from({ length: 900 }, (_, n) => `h${hour}-p${part}-${n}`);
      ids.push(...named);
      await org.bulk(named.map((id) => run(id, now, { metadata: METADATA })));
    }
    if (hour === 2) {
      // The second file of this window is on its way when the runtime is killed.
      s3.fate = (_, key) => (key.endsWith("runs-00002.ndjson") ? "held" : "pass");
      const moved = org.advance(HOUR).catch(() => null);
      await expect
        .poll(() => s3.writes.filter((key) => key.endsWith("runs-00002.ndjson")).length)
        .toBeGreaterThan(1);
      await fixture.server.crash();
      await moved;
      s3.fate = () => "pass";
      s3.release();
    }
    now = await org.advance(hour === 2 ? 1 : HOUR);
    await caughtUp(org, "all");
  }
  now = await org.advance(HOUR);
  await caughtUp(org, "all");
  const windows = await verified("all");
  const exported = windows.flatMap(({ files }) =>
    [...files.values()].flatMap((bytes) =>
      bytes
        .toString()
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).id as string),
    ),
  );
  expect(exported.length).toBe(ids.length);
  expect(new Set(exported)).toEqual(new Set(ids));
  expect(windows.some(({ files }) => files.size > 1)).toBe(true);
  expect(costOf(windows)).toBe(await spent(org));
  const shown = await org.send("GET", "exports/all/windows?limit=200");
  expect(shown.body.data.every(({ status }: { status: string }) => status === "written")).toBe(true);
  expect(shown.body.data.length).toBe(windows.length);
  // Windows follow one another without a gap.
  const order = windows.map(({ manifest }) => manifest).toSorted((a, b) => (a.from < b.from ? -1 : 1));
  for (const [at, manifest] of order.entries()) if (at > 0) expect(manifest.from).toBe(order[at - 1]?.to);
  s3.fate = () => "pass";
}, 600_000);

test("DuckDB reads what is exported as Parquet, on demand and by schedule, and its sums are the report's", async () => {
  const org = await newOrg();
  await org.send("PUT", "exports/parquet", { format: "parquet", every: "day", destination: s3.destination });
  const now = await org.advance(1);
  await org.bulk(
    Array.from({ length: 700 }, (_, n) =>
      run(`r${n}`, now, { customer_id: `c${n % 3}`, tags: { team: "é" } }),
    ),
  );
  const adjusted = await call("POST", "/v1/runs/r1/adjustments", {
    key: org.key,
    body: { amount_usd: "-0.1", reason: "credit" },
  });
  expect(adjusted.status).toBe(201);
  const report = await org.send("GET", "usage/report?group_by=customer_id");
  const answer = await fetch(`${fixture.server.urls[0]}/v1/runs/export?format=parquet`, {
    headers: { authorization: `Bearer ${org.key}` },
  });
  expect(answer.headers.get("content-type")).toBe("application/vnd.apache.parquet");
  const onDemand = new Uint8Array(await answer.arrayBuffer());
  const sums = await askDuckDb(
    onDemand,
    `SELECT customer_id, sum(net_cost_usd)::VARCHAR AS cost, count(*)::VARCHAR AS runs,
       typeof(any_value(net_cost_usd)) AS money FROM file GROUP BY customer_id`,
  );
  expect(sums.length).toBe(3);
  for (const { customer_id, cost_usd, runs } of report.body.data) {
    const own = sums.find((row) => row["customer_id"] === customer_id);
    expect([nanos(String(own?.["cost"])), own?.["runs"], own?.["money"]]).toEqual([
      nanos(cost_usd as string),
      String(runs),
      "DECIMAL(38,9)",
    ]);
  }
  await org.advance(24 * HOUR);
  await caughtUp(org, "parquet");
  let sum = 0n;
  for (const { files } of await verified("parquet")) {
    for (const bytes of files.values()) {
      const [row] = await askDuckDb(bytes, "SELECT sum(cost_usd)::VARCHAR AS cost FROM file");
      sum += nanos(String(row?.["cost"]));
    }
  }
  expect(sum).toBe(nanos(report.body.totals.cost_usd as string));
});

test("a wrong secret is reported as the storage says it, and mended by a right one", async () => {
  const org = await newOrg();
  const wrong = { ...s3.destination, secret_access_key: "not-the-secret" };
  await org.send("PUT", "exports/mended", { format: "csv", every: "hour", destination: wrong });
  const now = await org.advance(1);
  await org.bulk([run("one", now)]);
  await org.advance(HOUR);
  const failed = (await org.send("GET", "exports/mended")).body;
  expect(failed.last_error).toBe("status 403 SignatureDoesNotMatch");
  expect(await verified("mended")).toEqual([]);
  await org.send("PUT", "exports/mended", { format: "csv", every: "hour", destination: s3.destination });
  await org.advance(1);
  await caughtUp(org, "mended");
  expect(costOf(await verified("mended"))).toBe(123_456_789n);
});
