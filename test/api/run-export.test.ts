import { expect, test } from "vitest";
import { aRun, newSpender } from "../support/ledger.ts";
import { call, newOrg } from "../support/worker.ts";

const RANGE = "from=2026-11-01&to=2026-12-01";
const started = (at: number) => new Date(Date.parse("2026-11-10T00:00:00Z") + at * 1000).toISOString();

test("an export has every run of its range once, oldest first, as it is read", async () => {
  const org = await newSpender();
  const runs = Array.from({ length: 1200 }, (_, at) => aRun({ id: `r${at}`, started_at: started(at) }));
  await org.bulk(runs.slice(0, 700));
  await org.bulk(runs.slice(700));
  await org.run({ id: "big", started_at: started(5000), metadata: { large: 1 }, tags: { team: "red" } });
  await org.run({ id: "early", started_at: "2026-10-31T23:59:59.999Z" });
  await org.run({ id: "late", started_at: "2026-12-01T00:00:00Z" });
  const answer = await call("GET", `/v1/runs/export?${RANGE}`, { key: org.key });
  expect(answer.headers.get("content-type")).toBe("application/x-ndjson");
  const lines = answer.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: string });
  expect(lines.map(({ id }) => id)).toEqual([...runs.map(({ id }) => id), "big"]);
  const read = await call("GET", "/v1/runs/big", { key: org.key });
  expect(lines.at(-1)).toEqual(read.body);
});

test("an export as CSV has one line for each run that matches, with its adjustments, and begins no formula", async () => {
  const org = await newSpender();
  await org.bulk([
    aRun({ id: "=1+1", started_at: started(0), user_id: "u1", tags: { team: "a,b" }, provider: "acme" }),
    aRun({ id: "other", started_at: started(1), user_id: "u2" }),
  ]);
  await call("POST", "/v1/runs/%3D1%2B1/adjustments", {
    key: org.key,
    body: { amount_usd: "-0.40", reason: "refund" },
  });
  const { text } = await call("GET", `/v1/runs/export?${RANGE}&format=csv&user_id=u1`, { key: org.key });
  const [header = "", line = "", ...rest] = text.split("\r\n");
  expect(rest).toEqual([""]);
  expect(header).toMatch(/^id,started_at,.*,tags,.*,cost_usd,outcome,net_cost_usd$/);
  expect(line).toMatch(/^'=1\+1,2026-11-10T00:00:00\.000Z,/);
  expect(line).toContain(`,u1,,,,,"{""team"":""a,b""}",`);
  expect(line).toMatch(/,10,5,0,0,0,0,0,0,0,0,caller,,1\.00,completed,0\.60$/);
});

test.each([
  ["format", "format=xml"],
  ["to", "from=2025-01-01&to=2026-11-01"],
  ["color", "color=red"],
])("an export is refused at %s for %s", async (field, query) => {
  const org = await newOrg();
  const { status, body } = await call("GET", `/v1/runs/export?${query}`, { key: org.ownerKey });
  expect([status, body.error.details.fields[0].field]).toEqual([422, field]);
});

test("an export has the caller's own runs only, and needs runs:read", async () => {
  const [org, other] = [await newSpender(), await newOrg()];
  await org.run({ started_at: started(0) });
  const theirs = await call("GET", `/v1/runs/export?${RANGE}`, { key: other.ownerKey });
  expect([theirs.status, theirs.text]).toEqual([200, ""]);
  const key = await other.mint("viewer", { scopes: ["budgets:read"] });
  expect((await call("GET", `/v1/runs/export?${RANGE}`, { key })).status).toBe(403);
});
