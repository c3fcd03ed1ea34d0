import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { http, type HttpAnswer } from "../../support/http.ts";
import { operator, type Org, run, TwoRegions } from "../../support/two-regions.ts";
import { PATIENCE_MS } from "../../support/patience.ts";

/** An org that moves between two regions while it is used. */

/** Short in the suite. */
const CALLS_PER_SECOND = Number(process.env["SLUICE_MOVE_RATE"] ?? 200);

const regions = new TwoRegions();

test("an org that is used moves: nothing is lost, doubled or overspent, and reads go on", async () => {
  const org = await regions.newOrg();
  const at = `/v1/orgs/${org.id}`;
  const budget = { scope_kind: "org", limit_usd: "2", period: "month", mode: "enforce" };
  const { id: budgetId } = (
    await http("POST", `${regions.eu.urls[0]}${at}/budgets`, { key: org.key, body: budget })
  ).body;
  const state = { isOver: false };
  let sent = 0;
  let longestMs = 0;
  let failedReads = 0;
  const granted = new Set<string>();
  const recorded = new Set<string>();

  /** Sends the same again until it is answered, as a careful client does. */
  const send = async (path: string, body: object): Promise<HttpAnswer> => {
    const began = performance.now();
    for (let attempt = 0; performance.now() - began < PATIENCE_MS; attempt += 1) {
      const server = attempt % 2 === 0 ? [regions.eu, regions.us][sent++ % 2] : regions.eu;
      const answer = await http("POST", `${server?.urls[0]}${path}`, { key: org.key, body }).catch(
        () => null,
      );
      if (answer !== null && answer.status < 500) {
        longestMs = Math.max(longestMs, performance.now() - began);
        return answer;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${path} was never answered`);
  };
  const caller = async (name: number): Promise<void> => {
    for (let n = 0; !state.isOver; n += 1) {
      const began = performance.now();
      const id = `${name}-${n}`;
      const decided = await send("/v1/edge/decision", { request_id: id, estimate: { cost_usd: "0.01" } });
      if (decided.status === 200) {
        granted.add(decided.body.reservation.id);
        const answer = await send("/v1/runs", run(id, { reservation_id: decided.body.reservation.id }));
        expect([200, 201]).toContain(answer.status);
        recorded.add(id);
      } else expect(decided.status).toBe(402);
      const restMs = (CALLERS * 2000) / CALLS_PER_SECOND - (performance.now() - began);
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  };
  const reader = async (): Promise<void> => {
    while (!state.isOver) {
      const read = await http("GET", `${regions.eu.urls[0]}${at}`, { key: org.key }).catch(() => null);
      if (read?.status !== 200) failedReads += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const CALLERS = 10;
  const load = Promise.all([reader(), ...Array.from({ length: CALLERS }, (_, name) => caller(name))]);
  await expect.poll(() => recorded.size).toBeGreaterThan(20);
  const moved = await regions.move(org, "us");
  expect([moved.status, moved.body.moved, moved.body.home_region]).toEqual([200, true, "us"]);
  const before = recorded.size;
  await expect.poll(() => recorded.size >= Math.min(200, before + 30)).toBe(true);
  state.isOver = true;
  await load;

  process.stdout.write(
    `moved under load: ${sent} calls, writes were held ${moved.body.writes_waited_ms} ms, the slowest call took ${Math.round(longestMs)} ms\n`,
  );
  await regions.expectWhole(org, "us");
  const listed = new Map<string, number>();
  for (let cursor = ""; ;) {
    const page = await http("GET", `${regions.us.urls[0]}/v1/runs?limit=200${cursor}`, { key: org.key });
    for (const { id } of page.body.data) listed.set(id, (listed.get(id) ?? 0) + 1);
    if (page.body.next_cursor === null) break;
    cursor = `&cursor=${page.body.next_cursor}`;
  }
  expect([...listed.keys()].toSorted()).toEqual([...recorded].toSorted());
  expect(new Set(listed.values())).toEqual(new Set([1]));
  expect(granted.size).toBe(recorded.size);
  expect(recorded.size).toBeLessThanOrEqual(200);
  const { body } = await http("GET", `${regions.eu.urls[0]}${at}/budgets/${budgetId}`, { key: org.key });
  expect(Number(body.spent_usd)).toBeCloseTo(recorded.size / 100, 9);
  expect(failedReads).toBe(0);
  // What is left can be had to the last cent once every isolate has given back its part, and not a cent more.
  const ask = (cost_usd: string) =>
    http("POST", `${regions.eu.urls[0]}/v1/edge/decision`, {
      key: org.key,
      body: { estimate: { cost_usd } },
    });
  const rest = (2 - recorded.size / 100).toFixed(2);
  if (rest !== "0.00") await expect.poll(async () => (await ask(rest)).status).toBe(200);
  expect((await ask("0.01")).status).toBe(402);
});

test("the same call again changes nothing, and a move back brings everything back", async () => {
  const org = await regions.newOrg();
  expect((await regions.move(org, "us")).body.moved).toBe(true);
  expect((await regions.move(org, "us")).body.moved).toBe(false);
  expect(
    (await http("POST", `${regions.eu.urls[0]}/v1/runs`, { key: org.key, body: run("there") })).status,
  ).toBe(201);
  const back = await regions.movedAtLast(org, "eu");
  expect(back.body.home_region).toBe("eu");
  await regions.expectWhole(org, "eu");
  expect((await http("GET", `${regions.us.urls[0]}/v1/runs/there`, { key: org.key })).status).toBe(200);
});

test("a move is refused to a region that is unknown or that the org's rule excludes, and of an org that nobody knows", async () => {
  const org = await regions.newOrg();
  expect((await regions.move(org, "moon")).status).toBe(422);
  await http("PUT", `${regions.eu.urls[0]}/v1/orgs/${org.id}/residency`, {
    key: org.key,
    body: { regions: ["eu"] },
  });
  expect((await regions.move(org, "us")).body.error.code).toBe("residency_violation");
  expect((await regions.move({ id: "org_01ARZ3NDEKTSV4RRFFQ69G5FAV", key: "" }, "us")).status).toBe(404);
  const undone = await http("DELETE", `${regions.eu.urls[0]}/v1/admin/orgs/${org.id}/move`, operator);
  expect(undone.status).toBe(404);
  expect(
    (await http("POST", `${regions.eu.urls[0]}/v1/runs`, { key: org.key, body: run("still") })).status,
  ).toBe(201);
});

/** The files that the local bucket of a region has on disk. */
function archiveFiles(folder: { readonly path: string }): string[] {
  return readdirSync(folder.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.endsWith("blobs"))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** A move and a backup of an org whose file of archived runs cannot be read: nothing begins, and the org goes on. */
async function expectRefused(org: Org, why: string): Promise<void> {
  const backup = await http("GET", `${regions.eu.urls[0]}/v1/admin/orgs/${org.id}/backup`, operator);
  for (const { status, body } of [await regions.move(org, "us"), backup]) {
    expect([status, body.error.code]).toEqual([503, "service_unavailable"]);
    expect(body.error.message).toMatch(/^The archive file 'org_.*\.segments' cannot be read\. /);
    expect(body.error.message).toContain(why);
    expect(body.error.message).toContain("put the original file back, then repeat the call.");
  }
  const undone = await http("DELETE", `${regions.eu.urls[0]}/v1/admin/orgs/${org.id}/move`, operator);
  expect(undone.body.error.message).toBe("No move of this organization is under way.");
  const written = await http("POST", `${regions.eu.urls[0]}/v1/runs`, {
    key: org.key,
    body: run(`while it ${why}`),
  });
  expect(written.status).toBe(201);
  await regions.expectWhole(org, "eu");
}

test("runs in the archive move along, also if a region is killed in between, and no file of them stays behind", async () => {
  const org = await regions.newOrg({ environment: "test" });
  const day = Date.UTC(2026, 10, 10);
  const runs = Array.from({ length: 1000 }, (_, at) =>
    run(`old-${at}`, { started_at: new Date(day + at).toISOString(), cost_usd: `0.00${1_000_000 + at}` }),
  );
  const bulk = () => http("POST", `${regions.eu.urls[0]}/v1/runs/bulk`, { key: org.key, body: { runs } });
  expect((await bulk()).body.accepted).toBe(1000);
  await http("POST", `${regions.eu.urls[0]}/v1/admin/orgs/${org.id}/test-clock`, {
    ...operator,
    body: { advance_seconds: 90_000 },
  });
  await expect.poll(() => archiveFiles(regions.folders.eu).length).toBe(1);
  const period = "from=2026-11-09T00:00:00Z&to=2026-11-12T00:00:00Z";
  const seen = async () => {
    const get = (path: string) => http("GET", `${regions.eu.urls[0]}${path}`, { key: org.key });
    const report = await get(`/v1/orgs/${org.id}/usage/report?${period}&group_by=model`);
    return [report.text, (await get(`/v1/runs/export?${period}&format=ndjson`)).text];
  };
  const before = await seen();
  expect(before[1]?.trim().split("\n").length).toBe(1000);

  const [file = ""] = archiveFiles(regions.folders.eu);
  const bytes = readFileSync(file);
  writeFileSync(
    file,
    bytes.map((byte, at) => (at > 4 ? byte ^ 1 : byte)),
  );
  await expectRefused(org, "is damaged");
  rmSync(file);
  await expectRefused(org, "is missing");
  writeFileSync(file, bytes);

  let stages = 0;
  regions.between.onCall = async (called, when) => {
    if (called !== "stageImport" || when !== "after" || (stages += 1) !== 3) return;
    await regions.eu.crash();
    throw new Error("killed");
  };
  expect((await regions.move(org, "us").catch(() => null))?.status).not.toBe(200);
  await regions.movedAtLast(org, "us");
  await regions.expectWhole(org, "us");
  expect(await seen()).toEqual(before);
  expect((await bulk()).body).toMatchObject({ accepted: 0, duplicates: 1000, rejected: 0 });
  await expect
    .poll(() => [regions.folders.eu, regions.folders.us].map((one) => archiveFiles(one).length))
    .toEqual([0, 1]);
  expect(await seen()).toEqual(before);
  expect((await bulk()).body).toMatchObject({ accepted: 0, duplicates: 1000, rejected: 0 });
});
