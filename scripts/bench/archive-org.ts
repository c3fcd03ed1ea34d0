import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../server.ts";
import type { Stored } from "./archive-worker.ts";
import { BENCH_FOLDER } from "./options.ts";
import { reach } from "./send.ts";

/** One org of a running server, whose runs go through the archive. */

const HOUR_MS = 3_600_000;
/** Before all that is sent. */
const SPAN_MS = 72 * HOUR_MS;

export interface Saved {
  readonly id: string;
  readonly key: string;
  readonly budgetId: string;
  /** When the first run started. */
  readonly startMs: number;
  /** Runs that were acknowledged. */
  sent: number;
}

export interface BenchOrg {
  readonly saved: Saved;
  /** The thread that runs the objects: how long it has worked. */
  cpuMs(): number;
  send<T>(method: string, path: string, body?: object | string): Promise<T>;
  status(method: string, path: string, body?: object | string): Promise<number>;
  advance(seconds: number): Promise<void>;
  stored(): Promise<Stored>;
  bench<T>(what: string): Promise<T>;
  evict(): Promise<void>;
  save(): void;
  dispose(): Promise<void>;
}

type Send = <T>(method: string, path: string, key: string, body?: object | string) => Promise<T>;

async function newOrg(send: Send, operator: string): Promise<Saved> {
  const made = await send<{ org: { id: string }; owner_key: string }>("POST", "/v1/admin/orgs", operator, {
    name: "bench",
    environment: "test",
  });
  const { id } = made.org;
  const below = `/v1/orgs/${id}`;
  const limit = { limit_usd: "900000000", period: "total", mode: "enforce" };
  const budget = await send<{ id: string }>("POST", `${below}/budgets`, made.owner_key, {
    ...limit,
    scope_kind: "org",
  });
  await send("POST", `${below}/budgets`, made.owner_key, {
    ...limit,
    scope_kind: "workflow",
    scope_id: "wf_support_answers",
  });
  await send("PUT", `${below}/spend-cap`, made.owner_key, { cap_usd: "900000000" });
  await send("POST", `${below}/customer-limits`, made.owner_key, {
    limit_usd: "900000000",
    period: "month",
    customer_id: "*",
  });
  const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - SPAN_MS;
  return { id, key: made.owner_key, budgetId: budget.id, startMs, sent: 0 };
}

/** Opens the org of a folder that was kept, or a new one. */
export async function openBenchOrg(): Promise<BenchOrg> {
  const folder = BENCH_FOLDER ?? mkdtempSync(join(tmpdir(), "sluice-archive-"));
  const server = await startServer({ port: 0, dataDir: folder, entry: "scripts/bench/archive-worker.ts" });
  const operator = server.settings["SVC_OPERATOR_KEY"] ?? "";
  const base = server.urls[0];
  const answer = (method: string, path: string, key: string, body?: object | string) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const text = typeof body === "object" ? JSON.stringify(body) : body;
    return reach(`${base}${path}`, { method, headers, ...(text === undefined ? {} : { body: text }) });
  };
  const send: Send = async <T>(method: string, path: string, key: string, body?: object | string) => {
    const response = await answer(method, path, key, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  };
  const file = join(folder, "bench-org.json");
  const saved = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as Saved)
    : await newOrg(send, operator);
  const bench = async <T>(what: string): Promise<T> => {
    const [path, more = ""] = what.split("?");
    return (await reach(`${base}/bench/${path}?org=${saved.id}&${more}`, {})).json() as Promise<T>;
  };
  return {
    saved,
    cpuMs: () => threadMs(Number(readFileSync(join(server.folder.path, "workerd.pid"), "utf8"))),
    send: (method, path, body) => send(method, path, saved.key, body),
    status: async (method, path, body) => {
      const response = await answer(method, path, saved.key, body);
      await response.text();
      return response.status;
    },
    advance: async (seconds) => {
      const path = `/v1/admin/orgs/${saved.id}/test-clock`;
      await send("POST", path, operator, { advance_seconds: seconds });
    },
    stored: () => bench("stored"),
    bench,
    evict: () => server.evict(saved.id),
    save: () => writeFileSync(file, JSON.stringify(saved), { mode: 0o600 }),
    dispose: async () => {
      await server.dispose();
      if (BENCH_FOLDER === null) rmSync(folder, { recursive: true, force: true });
    },
  };
}

const NANOS_PER_MS = 1e6;

/** How long the first thread of a process has run. It runs all Workers and objects. */
function threadMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / NANOS_PER_MS;
}
