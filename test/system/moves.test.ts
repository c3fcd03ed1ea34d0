import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Server, startServer } from "../../scripts/server.ts";
import { claimPorts } from "../../scripts/ports.ts";
import { makeFolder } from "../support/folder.ts";
import { http, type HttpAnswer } from "../support/http.ts";

/** An org that moves between two regions while it is used. */

const SECRETS = {
  SVC_KEY_PEPPER: "pepper-for-tests-0123456789abcdefghij",
  SVC_OPERATOR_KEY: "svc_operator_for-tests-0123456789abcdefghij",
  SVC_REGION_SECRET: "region-secret-for-tests-0123456789abcdefghij",
};
const operator = { key: SECRETS.SVC_OPERATOR_KEY };
/** Short in the suite. */
const CALLS_PER_SECOND = Number(process.env["SLUICE_MOVE_RATE"] ?? 200);

const folders = [makeFolder(), makeFolder()];
let eu: Server;
let us: Server;
let between: Between;

/** What regions say to each other passes through here, so that it can be broken at any point. */
class Between {
  readonly #server: HttpServer;
  /** Told of each call to an object in the other region, before it is sent and after it was answered. */
  onCall: (method: string, when: "before" | "after") => Promise<void> | void = () => undefined;

  constructor(target: string) {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks);
        const method = /"method":"(\w+)"/.exec(body.toString("latin1"))?.[1] ?? "";
        const pass = async () => {
          await this.onCall(method, "before");
          const headers = new Headers(request.headers as Record<string, string>);
          for (const name of ["host", "connection", "content-length", "transfer-encoding"])
            headers.delete(name);
          const answer = await fetch(target + request.url, {
            method: request.method ?? "GET",
            headers,
            redirect: "manual",
            ...(body.length > 0 && { body }),
          });
          const text = Buffer.from(await answer.arrayBuffer());
          await this.onCall(method, "after");
          const kept = [...answer.headers].filter(
            ([name]) => !/^(content-(encoding|length)|transfer-encoding)$/.test(name),
          );
          response.writeHead(answer.status, Object.fromEntries(kept)).end(text);
        };
        pass().catch(() => response.destroy());
      });
    });
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

beforeAll(async () => {
  const [port = 0] = await claimPorts(0, 1);
  const start = (region: string, regions: object, dataDir: string, at: number) =>
    startServer({
      port: at,
      dataDir,
      settings: { ...SECRETS, SVC_REGION: region, SVC_REGIONS: JSON.stringify(regions) },
    });
  us = await start("us", { eu: `http://127.0.0.1:${port}` }, folders[0]?.path ?? "", 0);
  between = new Between(us.urls[0]);
  await between.listen(0);
  eu = await start("eu", { us: between.url }, folders[1]?.path ?? "", port);
});
afterAll(async () => {
  between.close();
  await Promise.all([eu.dispose(), us.dispose()]);
  for (const folder of folders) folder.remove();
});

interface Org {
  readonly id: string;
  readonly key: string;
}

async function newOrg(fields: object = {}): Promise<Org> {
  const body = { name: "Acme", home_region: "eu", ...fields };
  const made = await http("POST", `${eu.urls[0]}/v1/admin/orgs`, { ...operator, body });
  return { id: made.body.org.id, key: made.body.owner_key };
}

const move = (org: Org, to: string, at = eu) =>
  http("POST", `${at.urls[0]}/v1/admin/orgs/${org.id}/move`, { ...operator, body: { to } });

/** Until the move is acknowledged, as an operator does. */
async function movedAtLast(org: Org, to: string): Promise<HttpAnswer> {
  let last = "";
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const answer = await move(org, to).catch(() => null);
    if (answer?.status === 200) return answer;
    last = answer?.text ?? "no answer";
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`the move never ended: ${last}`);
}

const homeOf = async (server: Server): Promise<Map<string, string>> => {
  const listed = await http("GET", `${server.urls[0]}/v1/admin/orgs?limit=200`, operator);
  return new Map(
    listed.body.data.map((org: { id: string; home_region: string }) => [org.id, org.home_region]),
  );
};

/** In exactly one region, which says so, and with a trail that verifies. */
async function expectWhole(org: Org, region: string): Promise<void> {
  const lists = { eu: await homeOf(eu), us: await homeOf(us) };
  expect([lists.eu.get(org.id), lists.us.get(org.id)]).toEqual(
    region === "eu" ? ["eu", undefined] : [undefined, "us"],
  );
  for (const server of [eu, us]) {
    const shown = await http("GET", `${server.urls[0]}/v1/orgs/${org.id}`, { key: org.key });
    expect([shown.status, shown.body?.home_region]).toEqual([200, region]);
    const verified = await http("GET", `${server.urls[0]}/v1/orgs/${org.id}/audit-log/verify`, {
      key: org.key,
    });
    expect(verified.body.valid).toBe(true);
  }
}

const run = (id: string, fields: object = {}) => ({
  id,
  started_at: new Date().toISOString(),
  model: "m",
  usage: { input_tokens: 1, output_tokens: 1 },
  cost_usd: "0.01",
  ...fields,
});

test(
  "an org that is used moves: nothing is lost, doubled or overspent, and reads go on",
  { timeout: 120_000 },
  async () => {
    const org = await newOrg();
    const at = `/v1/orgs/${org.id}`;
    const budget = { scope_kind: "org", limit_usd: "2", period: "month", mode: "enforce" };
    const { id: budgetId } = (
      await http("POST", `${eu.urls[0]}${at}/budgets`, { key: org.key, body: budget })
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
      for (let attempt = 0; attempt < 200; attempt += 1) {
        const server = attempt % 2 === 0 ? [eu, us][sent++ % 2] : eu;
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
        const read = await http("GET", `${eu.urls[0]}${at}`, { key: org.key }).catch(() => null);
        if (read?.status !== 200) failedReads += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const CALLERS = 10;
    const load = Promise.all([reader(), ...Array.from({ length: CALLERS }, (_, name) => caller(name))]);
    await expect.poll(() => recorded.size, { timeout: 30_000 }).toBeGreaterThan(20);
    const moved = await move(org, "us");
    expect([moved.status, moved.body.moved, moved.body.home_region]).toEqual([200, true, "us"]);
    const before = recorded.size;
    await expect.poll(() => recorded.size >= Math.min(200, before + 30), { timeout: 30_000 }).toBe(true);
    state.isOver = true;
    await load;

    process.stdout.write(
      `moved under load: ${sent} calls, writes were held ${moved.body.writes_waited_ms} ms, the slowest call took ${Math.round(longestMs)} ms\n`,
    );
    await expectWhole(org, "us");
    const listed = new Map<string, number>();
    for (let cursor = ""; ;) {
      const page = await http("GET", `${us.urls[0]}/v1/runs?limit=200${cursor}`, { key: org.key });
      for (const { id } of page.body.data) listed.set(id, (listed.get(id) ?? 0) + 1);
      if (page.body.next_cursor === null) break;
      cursor = `&cursor=${page.body.next_cursor}`;
    }
    expect([...listed.keys()].toSorted()).toEqual([...recorded].toSorted());
    expect(new Set(listed.values())).toEqual(new Set([1]));
    expect(granted.size).toBe(recorded.size);
    expect(recorded.size).toBeLessThanOrEqual(200);
    const { body } = await http("GET", `${eu.urls[0]}${at}/budgets/${budgetId}`, { key: org.key });
    expect(Number(body.spent_usd)).toBeCloseTo(recorded.size / 100, 9);
    expect(failedReads).toBe(0);
    // What is left can be had to the last cent once every isolate has given back its part, and not a cent more.
    const ask = (cost_usd: string) =>
      http("POST", `${eu.urls[0]}/v1/edge/decision`, { key: org.key, body: { estimate: { cost_usd } } });
    const rest = (2 - recorded.size / 100).toFixed(2);
    if (rest !== "0.00")
      await expect.poll(async () => (await ask(rest)).status, { timeout: 30_000 }).toBe(200);
    expect((await ask("0.01")).status).toBe(402);
  },
);

test("the same call again changes nothing, and a move back brings everything back", async () => {
  const org = await newOrg();
  expect((await move(org, "us")).body.moved).toBe(true);
  expect((await move(org, "us")).body.moved).toBe(false);
  expect((await http("POST", `${eu.urls[0]}/v1/runs`, { key: org.key, body: run("there") })).status).toBe(
    201,
  );
  const back = await movedAtLast(org, "eu");
  expect(back.body.home_region).toBe("eu");
  await expectWhole(org, "eu");
  expect((await http("GET", `${us.urls[0]}/v1/runs/there`, { key: org.key })).status).toBe(200);
});

test("a move is refused to a region that is unknown or that the org's rule excludes, and of an org that nobody knows", async () => {
  const org = await newOrg();
  expect((await move(org, "moon")).status).toBe(422);
  await http("PUT", `${eu.urls[0]}/v1/orgs/${org.id}/residency`, { key: org.key, body: { regions: ["eu"] } });
  expect((await move(org, "us")).body.error.code).toBe("residency_violation");
  expect((await move({ id: "org_01ARZ3NDEKTSV4RRFFQ69G5FAV", key: "" }, "us")).status).toBe(404);
  const undone = await http("DELETE", `${eu.urls[0]}/v1/admin/orgs/${org.id}/move`, operator);
  expect(undone.status).toBe(404);
  expect((await http("POST", `${eu.urls[0]}/v1/runs`, { key: org.key, body: run("still") })).status).toBe(
    201,
  );
});

/** The files that the local bucket of a region has on disk. */
function archiveFiles(folder: { readonly path: string } | undefined): string[] {
  return readdirSync(folder?.path ?? "", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.endsWith("blobs"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).subarray(0, 4).toString() === "PAR1");
}

/** A move and a backup of an org whose file of archived runs cannot be read: nothing begins, and the org goes on. */
async function expectRefused(org: Org, why: string): Promise<void> {
  const backup = await http("GET", `${eu.urls[0]}/v1/admin/orgs/${org.id}/backup`, operator);
  for (const { status, body } of [await move(org, "us"), backup]) {
    expect([status, body.error.code]).toEqual([503, "service_unavailable"]);
    expect(body.error.message).toMatch(/^The archive file 'org_.*\.parquet' /);
    expect(body.error.message).toContain(why);
    expect(body.error.message).toContain("Put the original file back, then repeat the call.");
  }
  const undone = await http("DELETE", `${eu.urls[0]}/v1/admin/orgs/${org.id}/move`, operator);
  expect(undone.body.error.message).toBe("No move of this organization is under way.");
  const written = await http("POST", `${eu.urls[0]}/v1/runs`, { key: org.key, body: run(`while it ${why}`) });
  expect(written.status).toBe(201);
  await expectWhole(org, "eu");
}

test(
  "runs in the archive move along, also if a region is killed in between, and no file of them stays behind",
  { timeout: 120_000 },
  async () => {
    const org = await newOrg({ environment: "test" });
    const day = Date.UTC(2026, 10, 10);
    const runs = Array.from({ length: 1000 }, (_, at) =>
      run(`old-${at}`, { started_at: new Date(day + at).toISOString(), cost_usd: `0.00${1_000_000 + at}` }),
    );
    const bulk = () => http("POST", `${eu.urls[0]}/v1/runs/bulk`, { key: org.key, body: { runs } });
    expect((await bulk()).body.accepted).toBe(1000);
    await http("POST", `${eu.urls[0]}/v1/admin/orgs/${org.id}/test-clock`, {
      ...operator,
      body: { advance_seconds: 90_000 },
    });
    await expect.poll(() => archiveFiles(folders[1]).length, { timeout: 60_000 }).toBe(1);
    const period = "from=2026-11-09T00:00:00Z&to=2026-11-12T00:00:00Z";
    const seen = async () => {
      const get = (path: string) => http("GET", `${eu.urls[0]}${path}`, { key: org.key });
      const report = await get(`/v1/orgs/${org.id}/usage/report?${period}&group_by=model`);
      return [report.text, (await get(`/v1/runs/export?${period}&format=ndjson`)).text];
    };
    const before = await seen();
    expect(before[1]?.trim().split("\n").length).toBe(1000);

    const [file = ""] = archiveFiles(folders[1]);
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
    between.onCall = async (called, when) => {
      if (called !== "stageImport" || when !== "after" || (stages += 1) !== 3) return;
      await eu.crash();
      throw new Error("killed");
    };
    expect((await move(org, "us").catch(() => null))?.status).not.toBe(200);
    await movedAtLast(org, "us");
    await expectWhole(org, "us");
    expect(await seen()).toEqual(before);
    expect((await bulk()).body).toMatchObject({ accepted: 0, duplicates: 1000, rejected: 0 });
    await expect
      .poll(() => [1, 0].map((at) => archiveFiles(folders[at]).length), { timeout: 60_000 })
      .toEqual([0, 1]);
    expect(await seen()).toEqual(before);
    expect((await bulk()).body).toMatchObject({ accepted: 0, duplicates: 1000, rejected: 0 });
  },
);

/** Where a move can be killed, in either region: before and after each thing that one says to the other. */
const KILLS = (["old", "new"] as const).flatMap((home) =>
  ["beginImport", "stageImport", "finishImport"].flatMap((method) =>
    (["before", "after"] as const).map((when) => [home, method, when] as const),
  ),
);

test.each(KILLS)(
  "a move whose %s region is killed around %s (%s it) leaves the org whole, and ends when it is sent again",
  { timeout: 120_000 },
  async (home, method, when) => {
    const org = await newOrg();
    await http("POST", `${eu.urls[0]}/v1/runs`, { key: org.key, body: run("before") });
    let isKilled = false;
    between.onCall = async (called, then) => {
      if (isKilled || called !== method || then !== when) return;
      isKilled = true;
      await { old: eu, new: us }[home].crash();
      throw new Error("killed");
    };
    const first = await move(org, "us").catch(() => null);
    // The old region goes on by itself where it can.
    expect([isKilled, home === "old" && first?.status === 200]).toEqual([true, false]);
    const moved = await movedAtLast(org, "us");
    expect(moved.body.home_region).toBe("us");
    await expectWhole(org, "us");
    for (const server of [eu, us]) {
      expect((await http("GET", `${server.urls[0]}/v1/runs/before`, { key: org.key })).status).toBe(200);
    }
    expect((await http("POST", `${eu.urls[0]}/v1/runs`, { key: org.key, body: run("after") })).status).toBe(
      201,
    );
  },
);

test("a move that is stuck refuses writes with a time to wait, and can be undone unless the other region has the org", async () => {
  const org = await newOrg();
  const undo = () => http("DELETE", `${eu.urls[0]}/v1/admin/orgs/${org.id}/move`, operator);
  const breakAt = (when: "before" | "after") => {
    between.onCall = (called, then) => {
      if (called === "finishImport" && then === when) throw new Error("the line is cut");
    };
  };
  breakAt("before");
  expect((await move(org, "us")).status).toBe(503);
  const waiting = await http("POST", `${eu.urls[0]}/v1/runs`, { key: org.key, body: run("waiting") });
  expect([waiting.status, waiting.headers.get("retry-after")]).toEqual([503, "2"]);
  expect((await http("GET", `${eu.urls[0]}/v1/orgs/${org.id}`, { key: org.key })).status).toBe(200);
  expect((await undo()).body.home_region).toBe("eu");
  expect((await http("POST", `${eu.urls[0]}/v1/runs`, { key: org.key, body: run("waiting") })).status).toBe(
    201,
  );
  await expectWhole(org, "eu");
  breakAt("after");
  expect((await move(org, "us")).status).toBe(503);
  between.onCall = () => undefined;
  expect((await undo()).body.error.code).toBe("conflict");
  await movedAtLast(org, "us");
  await expectWhole(org, "us");
});
