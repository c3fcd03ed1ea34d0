import { spawnSync } from "node:child_process";
import { type IncomingMessage, request } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseItem } from "structured-headers";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Server, startServer } from "../../scripts/server.ts";
import { IN_TWO_YEARS } from "../support/deprecation.ts";
import { temporaryFolder } from "../support/folder.ts";
import { http } from "../support/http.ts";
import { statusesOf } from "../support/pipelined.ts";

/** Three isolates over one set of objects, as on three machines of the platform. */
const ISOLATES = 3;
const RANDOM_PATHS = 300;
const FORECAST = "/v1/forecast";
const SECRETS = {
  SVC_KEY_PEPPER: "pepper-for-tests-0123456789abcdefghij",
  SVC_OPERATOR_KEY: "svc_operator_for-tests-0123456789abcdefghij",
};
const folder = mkdtempSync(join(tmpdir(), "sluice-signals-"));
let server: Server;

beforeAll(async () => {
  server = await startServer({ port: 0, isolates: ISOLATES, dataDir: folder, settings: SECRETS });
});
afterAll(async () => {
  await server.dispose();
  rmSync(folder, { recursive: true, force: true });
});

function isolate(index: number): string {
  return server.urls[index % ISOLATES] ?? server.urls[0];
}

/** The address of the documentation, where every deprecation is explained. */
async function docsOf(url: string): Promise<string> {
  const { body } = await http("GET", `${url}/v1/meta/deprecations`);
  return (body as { documentation: string }[])[0]?.documentation ?? "";
}

async function scrape(index: number): Promise<string> {
  const answer = await fetch(`${isolate(index)}/metrics`);
  expect(answer.status).toBe(200);
  return answer.text();
}

function forecastCalls(text: string): number {
  return Number(/^svc_deprecated_route_calls_total\{route="\/v1\/forecast"\} (\d+)$/m.exec(text)?.[1]);
}

async function callForecast(times: number): Promise<void> {
  const calls = Array.from({ length: times }, async (_, index) => {
    const answer = await fetch(`${isolate(index)}${FORECAST}`);
    await answer.arrayBuffer();
    expect(answer.headers.get("deprecation")).toBe("@1784678400");
  });
  await Promise.all(calls);
}

function seriesOf(text: string): Set<string> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Set(lines.map((line) => line.slice(0, line.lastIndexOf(" "))));
}

describe("calls of a deprecated route", () => {
  test("are counted exactly, over all isolates, as soon as they are answered, wherever they are read", async () => {
    const before = forecastCalls(await scrape(0));
    await callForecast(90);
    const totals = await Promise.all([1, 2].map(async (index) => forecastCalls(await scrape(index))));
    expect(totals).toEqual([before + 90, before + 90]);
    // What an isolate has read of the others stands for a second.
    await expect.poll(async () => forecastCalls(await scrape(0))).toBe(before + 90);
  });

  test("stay counted if the runtime is killed right after the last response", async () => {
    const before = forecastCalls(await scrape(1));
    await callForecast(30);
    await server.crash();
    expect(forecastCalls(await scrape(2))).toBe(before + 30);
  });
});

test("a route flagged on one isolate is listed and signalled on all of them once the call returns", async () => {
  const flagged = {
    method: "GET",
    route: "/v1/meta/errors",
    since: "2026-08-01",
    sunset: IN_TWO_YEARS,
    documentation: `${await docsOf(isolate(0))}/errors`,
  };
  let answered = false;
  /** Keeps an isolate's copy as old as allowed. Returns the headers of calls sent after the flag returned. */
  const watch = async (index: number): Promise<(string | null)[]> => {
    const told: (string | null)[] = [];
    while (told.length < 20) {
      const after = answered;
      const answer = await fetch(`${isolate(index)}${flagged.route}`);
      await answer.arrayBuffer();
      if (after) told.push(answer.headers.get("sunset"));
    }
    return told;
  };
  const watching = [0, 1, 2].map(watch);
  const put = await fetch(`${isolate(0)}/v1/admin/deprecations`, {
    method: "PUT",
    headers: {
      authorization: `Bearer ${SECRETS.SVC_OPERATOR_KEY}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(flagged),
  });
  answered = true;
  expect(put.status).toBe(200);
  for (const told of await Promise.all(watching)) {
    expect(new Set(told)).toEqual(new Set([flagged.sunset]));
  }
  const here = await fetch(`${isolate(0)}${flagged.route}`);
  const [since] = parseItem(here.headers.get("deprecation") ?? "");
  expect(since).toEqual(new Date("2026-08-01T00:00:00Z"));
  for (const index of [1, 2]) {
    const listed = await fetch(`${isolate(index)}/v1/meta/deprecations`);
    expect(await listed.json()).toContainEqual(flagged);
  }
});

/** A call whose body arrives in two parts; `rest` sends the second. */
function slowly(url: string, key: string, body: string) {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": String(body.length),
  };
  const sending = request(url, { method: "POST", headers });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sending.on("response", resolve).on("error", reject);
  });
  sending.write(body.slice(0, 5));
  return { answer, rest: () => sending.end(body.slice(5)) };
}

test("a decision whose body arrives while decisions are flagged has the headers", async () => {
  const operator = { key: SECRETS.SVC_OPERATOR_KEY };
  const made = await http("POST", `${isolate(1)}/v1/admin/orgs`, { ...operator, body: { name: "Acme" } });
  const key = made.body.owner_key as string;
  const url = `${isolate(1)}/v1/edge/decision`;
  const ask = { estimate: { cost_usd: "0.01" } };
  for (let calls = 0; calls < 3; calls += 1) {
    expect((await http("POST", url, { key, body: ask })).headers.get("sunset")).toBeNull();
  }
  const slow = slowly(url, key, JSON.stringify(ask));
  const flagged = {
    method: "POST",
    route: "/v1/edge/decision",
    since: "2026-08-01",
    sunset: IN_TWO_YEARS,
    documentation: `${await docsOf(isolate(0))}/decisions`,
  };
  const put = await http("PUT", `${isolate(0)}/v1/admin/deprecations`, { ...operator, body: flagged });
  expect(put.status).toBe(200);
  slow.rest();
  const answer = await slow.answer;
  expect([answer.statusCode, answer.headers["sunset"]]).toEqual([200, flagged.sunset]);
});

test("a route flagged in one region is flagged in every region, and a forwarded call is counted once at home", async () => {
  const regional = await startServer({
    port: 0,
    dataDir: temporaryFolder(),
    regions: ["eu", "us"],
    settings: SECRETS,
  });
  onTestFinished(() => regional.dispose());
  const [eu, us = ""] = regional.urls;
  const operator = { key: SECRETS.SVC_OPERATOR_KEY };
  const flagged = {
    method: "GET",
    route: "/v1/meta/errors",
    since: "2026-08-01",
    sunset: IN_TWO_YEARS,
    documentation: `${await docsOf(us)}/errors`,
  };
  expect((await http("PUT", `${us}/v1/admin/deprecations`, { ...operator, body: flagged })).status).toBe(200);
  for (const base of [eu, us]) {
    expect((await http("GET", `${base}/v1/meta/deprecations`)).body).toContainEqual(flagged);
  }
  const made = await http("POST", `${us}/v1/admin/orgs`, {
    ...operator,
    body: { name: "Acme", home_region: "eu" },
  });
  const rotate = `/v1/admin/orgs/${made.body.org.id}/webhook-secret/rotate`;
  const rotated = await http("POST", `${us}${rotate}`, { key: made.body.owner_key });
  expect(rotated.status).toBe(200);
  expect(rotated.headers.get("deprecation")).toBe("@1784678400");
  const counted = await Promise.all(
    [eu, us].map(async (base) => {
      const text = await (await fetch(`${base}/metrics`)).text();
      return Number(/^svc_deprecated_route_calls_total\{route="[^"]+\/rotate"\} (\d+)$/m.exec(text)?.[1]);
    }),
  );
  expect(counted).toEqual([1, 0]);
});

test("every count survives a restart, down to the last request", async () => {
  const dataDir = temporaryFolder();
  const settings = { ...SECRETS, SVC_METRICS_TOKEN: "metrics-token-of-the-test-0123456789abcdef" };
  const first = await startServer({ port: 0, dataDir, settings, isolates: 2 });
  const calls = Array.from({ length: 40 }, (_, index) =>
    http("GET", `${first.urls[index % 2]}/v1/meta/errors`),
  );
  await Promise.all(calls);
  await first.dispose();
  const second = await startServer({ port: 0, dataDir, settings });
  onTestFinished(() => second.dispose());
  const scraped = await http("GET", `${second.urls[0]}/metrics`, { key: settings.SVC_METRICS_TOKEN });
  const series = `svc_requests_total{route="/v1/meta/errors",method="GET",status="200"} 40`;
  expect(scraped.text.split("\n")).toContain(series);
});

test("random paths add no series", async () => {
  for (const index of [0, 1, 2]) await (await fetch(`${isolate(index)}/v1/${crypto.randomUUID()}`)).text();
  await scrape(0);
  const before = seriesOf(await scrape(0));
  const asks = Array.from({ length: ISOLATES }, async (_, index) => {
    const paths = Array.from(
      { length: RANDOM_PATHS / ISOLATES },
      (_path, at) => `/${at % 2 === 0 ? "v1/" : ""}${crypto.randomUUID()}/${crypto.randomUUID()}`,
    );
    expect(await statusesOf(isolate(index), paths)).toEqual({ 404: paths.length });
  });
  await Promise.all(asks);
  expect(seriesOf(await scrape(0))).toEqual(before);
});

test("runs, spend and leases are right over all isolates and objects", async () => {
  const value = async (series: string) => {
    const line = (await scrape(0)).split("\n").find((one) => one.startsWith(`${series} `));
    return Number(line?.split(" ").at(-1));
  };
  const accepted = 'svc_runs_total{outcome="completed",status="accepted"}';
  const before = { runs: await value(accepted), nanos: await value("svc_spend_nano_usd_total") };
  const orgs = await Promise.all([0, 1, 2].map((index) => newOrg(isolate(index))));
  const run = {
    started_at: new Date().toISOString(),
    model: "m",
    usage: { input_tokens: 3, output_tokens: 2 },
    cost_usd: "0.000000007",
  };
  const calls = Array.from({ length: 90 }, async (_, index) => {
    const key = orgs[index % 3]?.key ?? "";
    return (await http("POST", `${isolate(index)}/v1/runs`, { key, body: run })).status;
  });
  expect(new Set(await Promise.all(calls))).toEqual(new Set([201]));
  await expect.poll(() => value(accepted)).toBe(before.runs + 90);
  expect(await value("svc_spend_nano_usd_total")).toBe(before.nanos + 630);
});

test("the exposition is accepted by promtool, if installed", async ({ skip }) => {
  const { id, key } = await newOrg(isolate(0));
  const body = { scope_kind: "workflow", scope_id: 'w"\\', limit_usd: "1", period: "day", mode: "enforce" };
  await http("POST", `${isolate(0)}/v1/orgs/${id}/budgets`, { key, body });
  const own = await http("GET", `${isolate(0)}/v1/orgs/${id}/metrics`, { key });
  expect(own.text).toContain("svc_limit_spent{");
  for (const input of [await scrape(0), own.text]) {
    const { error, status, stderr } = spawnSync("promtool", ["check", "metrics"], { input });
    skip(error !== undefined, "promtool is not installed");
    expect(`${status} ${stderr.toString()}`).toBe("0 ");
  }
});

async function newOrg(base: string): Promise<{ id: string; key: string }> {
  const made = await http("POST", `${base}/v1/admin/orgs`, {
    key: SECRETS.SVC_OPERATOR_KEY,
    body: { name: "Acme" },
  });
  if (made.status !== 201) throw new Error(`no org: ${made.status} ${made.text}`);
  return { id: made.body.org.id, key: made.body.owner_key };
}
