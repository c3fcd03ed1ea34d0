import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createGate, Unreachable } from "../../../src/client/gate/index.ts";
import { installedPackage, runProgram } from "../../support/installed-package.ts";
import { call, newOrg, sharedServer } from "../../support/server.ts";
import { PATIENCE_MS } from "../../support/patience.ts";

/** What the package promises in processes of its own, over HTTP: nothing passes a limit, whatever happens to them. */

const CLIENTS = 4;
let installed: Awaited<ReturnType<typeof installedPackage>>;

beforeAll(async () => {
  installed = await installedPackage();
});
afterAll(() => installed.remove());

class GateProcess {
  readonly #child: ChildProcess;
  readonly ended: Promise<void>;
  #said = "";

  constructor(url: string, key: string) {
    this.#child = spawn(process.execPath, ["gate-process.mjs", url, key, String(CLIENTS)], {
      cwd: installed.path,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child.stdout?.on("data", (chunk: Buffer) => (this.#said += chunk.toString()));
    this.ended = new Promise((resolve) => this.#child.on("close", () => resolve()));
  }

  get allowed(): number {
    return this.#said.split("\n").filter((line) => line === "a").length;
  }

  get told(): { refusals: string[]; allowedHere: number; holdsRefused: number } | null {
    const line = this.#said.split("\n").find((one) => one.startsWith("{"));
    return line === undefined ? null : JSON.parse(line);
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

const MOST_ROUNDS = 5;

test("four processes with gates, callers over HTTP and processes that are killed never pass a limit together", async () => {
  let decidedThere = 0;
  // On a busy machine what the gates learn may expire unused, and every call is then decided by the service.
  for (let round = 0; round < MOST_ROUNDS && decidedThere === 0; round += 1)
    decidedThere = await driveToLimit();
  expect(decidedThere).toBeGreaterThan(0);
});

/** Everybody asks until the budget is full; how many the gates decided by themselves. */
async function driveToLimit(): Promise<number> {
  const { id, ownerKey: key } = await newOrg();
  const { urls } = sharedServer();
  const path = `/v1/orgs/${id}/budgets`;
  const body = { scope_kind: "org", limit_usd: "20", period: "total" };
  const { body: budget } = await call("POST", path, { key, body });
  const processes = urls
    .concat(urls)
    .slice(0, 4)
    .map((url) => new GateProcess(url, key));
  const victims = processes.slice(0, 2);
  const others = processes.slice(2);
  let http = 0;
  const caller = async (url: string): Promise<void> => {
    for (;;) {
      const response = await fetch(`${url}/v1/edge/decision`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ estimate: { cost_usd: "0.01" } }),
      });
      await response.text();
      if (response.status !== 200) return;
      http += 1;
    }
  };
  const callers = Promise.all([0, 1].map((at) => caller(urls[at] ?? urls[0])));
  for (const victim of victims) {
    await expect.poll(() => victim.allowed).toBeGreaterThan(50);
    victim.kill();
  }
  await Promise.all([callers, ...processes.map(({ ended }) => ended)]);
  const total = processes.reduce((sum, { allowed }) => sum + allowed, http);
  expect(total).toBeLessThanOrEqual(2000);
  expect(total).toBeGreaterThan(1500);
  for (const { told } of others) {
    expect(told).toMatchObject({ refusals: ["budget_exceeded"], holdsRefused: 0 });
  }
  const { body: left } = await call("GET", `${path}/${budget.id}`, { key });
  expect(Number(left.reserved_usd)).toBeLessThanOrEqual(20);
  expect(Number(left.reserved_usd)).toBeGreaterThanOrEqual(total / 100);
  return others.reduce((sum, { told }) => sum + (told?.allowedHere ?? 0), 0);
}

const HOUR_MS = 3_600_000;
const MOST_CALLS = 2000;

test("a clock that is set back by an hour ends no reservation early, and no slice late", async () => {
  const { id, ownerKey: key } = await newOrg();
  const path = `/v1/orgs/${id}/budgets`;
  const body = { scope_kind: "org", limit_usd: "1000", period: "total" };
  const { body: budget } = await call("POST", path, { key, body });
  let isCut = false;
  const gate = createGate({
    url: sharedServer().urls[0],
    key,
    timeoutMs: PATIENCE_MS,
    fetch: (url, init) => (isCut ? Promise.reject(new TypeError("cut off")) : fetch(url, init)),
  });
  const decideHere = async () => {
    const before = gate.stats.allowedHere;
    const allowed = await gate.decide({ estimate: { cost_usd: isCut ? "0.000001" : "0.1" } });
    return gate.stats.allowedHere > before ? allowed : null;
  };
  let allowed: Awaited<ReturnType<typeof decideHere>> = null;
  const realNow = Date.now.bind(Date);
  // On a busy machine a slice may end before it is used.
  for (let at = 0; at < MOST_CALLS && allowed === null; at += 1) {
    isCut = false;
    if ((await decideHere()) === null) continue;
    isCut = true;
    vi.spyOn(Date, "now").mockImplementation(() => realNow() - HOUR_MS);
    onTestFinished(() => void vi.restoreAllMocks());
    allowed = await decideHere().catch(() => null);
    if (allowed === null) vi.restoreAllMocks();
  }
  const endsAt = Date.parse(String(allowed?.reservation?.expires_at));
  expect(Math.abs(endsAt - realNow() - 900_000)).toBeLessThan(HOUR_MS / 6);
  const lowering = call("PATCH", `${path}/${budget.id}`, { key, body: { limit_usd: "0" } });
  // Traffic goes on, so that the gate keeps what it has of its slices.
  let lowered: Awaited<typeof lowering> | null = null;
  while (lowered === null) {
    await decideHere().catch(() => null);
    lowered = await Promise.race([lowering, sleep(5, null)]);
  }
  expect(lowered.status).toBe(200);
  await expect(decideHere()).rejects.toThrow(Unreachable);
});

test("background work that a process waits for is done before the process ends", async () => {
  const { id, ownerKey } = await newOrg();
  const body = { scope_kind: "workflow", scope_id: "waited", limit_usd: "1000", period: "month" };
  expect((await call("POST", `/v1/orgs/${id}/budgets`, { key: ownerKey, body })).status).toBe(201);
  const program = `
    import { createGate } from "sluice/gate";
    const gate = createGate({ url: process.env.SLUICE_URL, key: process.env.SLUICE_KEY });
    const background = [];
    const waitUntil = (work) => background.push(work);
    for (let n = 0; n < 5; n += 1) {
      await gate.decide({ workflow_id: "waited", estimate: { cost_usd: "0.01" } }, { waitUntil });
    }
    console.log(background.length > 0);
    await Promise.all(background);
    console.log("done");
  `;
  writeFileSync(join(installed.path, "waited.mjs"), program);
  const environment = { SLUICE_URL: sharedServer().urls[0], SLUICE_KEY: ownerKey };
  const ran = await runProgram("waited.mjs", installed.path, environment);
  expect(ran).toMatchObject({ stderr: "", stdout: "true\ndone\n" });
});
