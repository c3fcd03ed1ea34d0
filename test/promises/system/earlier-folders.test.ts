import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import ledger from "../../../releases.json" with { type: "json" };
import { startOn } from "../../support/command.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { callerAt } from "../../support/server.ts";

/**
 * Data folders of other versions, each with that version's responses (`scripts/record-folder.ts` creates them). The first is
 * of the version that all schema steps begin with.
 */
const FOLDERS = "test/fixtures/data-folders";
const archives = readdirSync(FOLDERS).filter((name) => name.endsWith(".tar.gz"));

test("the first version and every release after it but the newest have their data folder here", () => {
  const releases = ledger.releases.map(({ version }) => `${version}.tar.gz`);
  expect(archives).toEqual(expect.arrayContaining(["baseline.tar.gz", ...releases.slice(1, -1)]));
});

test.for(archives)("%s is served by this version, with all its data", async (archive) => {
  const folder = temporaryFolder();
  execFileSync("tar", ["-xzf", join(FOLDERS, archive), "-C", folder]);
  const recorded = readFileSync(join(folder, "expected.json"), "utf8");
  const expected = JSON.parse(recorded, (_, value: unknown) => asOfNow(value)) as Record<string, object>;
  const { demo, ...server } = await startOn(folder, { SLUICE_NORTHWIND: "on" });
  expect(server.stdout()).not.toContain("Northwind");
  const key = demo.owner_key;
  const call = callerAt(demo.base_url);
  expect(Object.keys(expected).length).toBeGreaterThan(12);
  for (const [path, body] of Object.entries(expected)) {
    expect({ path, ...(await call("GET", path, { key })) }).toMatchObject({ path, status: 200, body });
  }
  const run = (id: string) => ({
    id,
    started_at: new Date().toISOString(),
    model: "acme/m1",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: "0.10",
    workflow_id: "triage",
  });
  const runs = ["new-1", "new-2"].map(run);
  const again = await call("POST", "/v1/runs/bulk", { key, body: { runs: [run("run-late"), ...runs] } });
  expect(again).toMatchObject({ status: 200, body: { accepted: 3, duplicates: 0 } });
  const { body: stored } = await call("GET", "/v1/runs/run-plain", { key });
  const { started_at, model, usage, cost_usd } = stored as ReturnType<typeof run> & { usage: object };
  const known = { id: "run-plain", started_at, model, usage, cost_usd };
  const duplicate = await call("POST", "/v1/runs/bulk", { key, body: { runs: [known] } });
  expect(duplicate.body).toMatchObject({ accepted: 0, duplicates: 1 });
  const decided = await call("POST", "/v1/edge/decision", { key, body: { estimate: { cost_usd: "1" } } });
  expect(decided.body.decision).toBe("allow");
  const refused = { estimate: { cost_usd: "49.60" }, workflow_id: "triage" };
  expect((await call("POST", "/v1/edge/decision", { key, body: refused })).body.error.code).toBe(
    "budget_exceeded",
  );
  const verified = await call("GET", `/v1/orgs/${demo.org_id}/audit-log/verify`, { key });
  expect(verified.body).toMatchObject({ valid: true });
  expect((await call("GET", "/v1/admin/orgs", { key: demo.operator_key })).body.data).toHaveLength(1);
});

/** The period of a daily or monthly limit is this one, whenever it was recorded. */
function asOfNow(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("period" in value)) return value;
  const now = new Date();
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const edges =
    value.period === "month"
      ? [Date.UTC(year, month), Date.UTC(year, month + 1)]
      : value.period === "day"
        ? [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)]
        : null;
  if (edges === null) return value;
  const [start, end] = edges.map((ms) => new Date(ms).toISOString());
  return { ...value, period_start: start, period_end: end };
}
