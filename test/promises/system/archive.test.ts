import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Server } from "../../../scripts/server.ts";
import { RunColumns } from "../../../src/domain/run/segment/columns.ts";
import { http, type HttpAnswer } from "../../support/http.ts";
import { ownServer } from "../../support/server.ts";

/** The archive of a running server: its files on disk, and the runtime killed while it writes them. */

const DAY_SECONDS = 86_400;

async function opened(server: Server) {
  const [url] = server.urls;
  const operatorKey = server.settings["SVC_OPERATOR_KEY"] ?? "";
  const made = await http("POST", `${url}/v1/admin/orgs`, {
    key: operatorKey,
    body: { name: "Acme", environment: "test" },
  });
  const { org, owner_key: key } = made.body as { org: { id: string }; owner_key: string };
  const send = (method: string, path: string, body?: object, as = key): Promise<HttpAnswer> =>
    http(method, `${url}${path}`, { key: as, ...(body === undefined ? {} : { body }) });
  return {
    send,
    bulk: (from: number, count: number) =>
      send("POST", "/v1/runs/bulk", {
        runs: Array.from({ length: count }, (_, at) => ({
          id: `run-${from + at}`,
          started_at: new Date(Date.UTC(2026, 10, 10) + from + at).toISOString(),
          model: "acme/m1",
          usage: { input_tokens: 3, output_tokens: 2 },
          cost_usd: `0.00${1_000_000 + from + at}`,
        })),
      }),
    advance: () =>
      send(
        "POST",
        `/v1/admin/orgs/${org.id}/test-clock`,
        { advance_seconds: DAY_SECONDS + 3600 },
        operatorKey,
      ),
  };
}

/** The files that the local bucket has on disk. */
function filesOn(server: Server): Buffer[] {
  return readdirSync(join(server.folder.path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.endsWith("blobs"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
}

const costsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => BigInt(1_000_000 + at)).reduce((sum, nanos) => sum + nanos, 0n);

/** Segments that follow one another are read as one. */
function sumsOf(files: readonly Buffer[]): { runs: number; nanos: bigint } {
  let [runs, nanos] = [0, 0n];
  for (const bytes of files) {
    const columns = new RunColumns(bytes);
    runs += columns.count;
    nanos = columns.costs.reduce((sum, cost) => sum + cost, nanos);
  }
  return { runs, nanos };
}

test("the files of a running server have every run, and the ledger's sums to the nano-dollar", async () => {
  const server = await ownServer();
  const org = await opened(server);
  for (let from = 0; from < 2000; from += 1000) expect((await org.bulk(from, 1000)).status).toBe(200);
  expect((await org.advance()).status).toBe(200);
  await expect.poll(() => sumsOf(filesOn(server)).runs, { interval: 500 }).toBe(2000);
  expect(sumsOf(filesOn(server))).toEqual({ runs: 2000, nanos: costsOf(2000) });
});

test("a runtime that is killed while it archives loses no run and records none twice", async () => {
  const server = await ownServer();
  const org = await opened(server);
  for (let from = 0; from < 6000; from += 1000) expect((await org.bulk(from, 1000)).status).toBe(200);
  for (let crash = 0; crash < 4; crash += 1) {
    const moved = crash === 0 ? org.advance().catch(() => null) : null;
    await new Promise((resolve) => setTimeout(resolve, 40 + crash * 60));
    await server.crash();
    await moved;
    // Wakes the object, which goes on with what is due.
    await org.send("GET", "/v1/runs?limit=1").catch(() => null);
  }
  await expect.poll(async () => (await org.advance().catch(() => null))?.status, { interval: 500 }).toBe(200);
  await expect.poll(() => sumsOf(filesOn(server)).runs, { interval: 500 }).toBe(6000);
  expect(sumsOf(filesOn(server))).toEqual({ runs: 6000, nanos: costsOf(6000) });
  for (let from = 0; from < 6000; from += 1000) {
    expect((await org.bulk(from, 1000)).body).toMatchObject({ accepted: 0, duplicates: 1000 });
  }
  const report = await org.send(
    "GET",
    `/v1/runs/export?from=2026-11-09T00:00:00Z&to=2026-11-12T00:00:00Z&format=csv`,
  );
  expect(report.text.trim().split("\r\n").length).toBe(6001);
});
