import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleWorker } from "../bundle.ts";
import { HOST } from "../ports.ts";
import { type Server, startServer } from "../server.ts";
import type { BenchRow, Compared } from "./bench-row.ts";
import { cpuSeconds, QUICK } from "./harness.ts";
import { BENCH_ROWS } from "./options.ts";
import { type Measured, measureInRounds } from "./rows-of-rounds.ts";
import { median } from "./statistics.ts";
import { startAlone } from "./own-runtime.ts";

/**
 * Bulk ingest: batches of 1000 runs with five limits, compared with one table that receives the same rows. That table does
 * less than any ledger must: a run sent twice is in it twice. The same table with unique ids is measured beside it.
 */

const BATCH = 1000;
const BATCHES = QUICK ? 8 : 20;
const ROUNDS = QUICK ? 1 : 5;
/** Rounds before those that count, until the code of both sides is compiled. */
const WARM_UPS = QUICK ? 1 : 4;
/** How many runs are stored when the cost of one more batch is measured. */
const STORED = QUICK ? [1e3, 1e4] : [1e3, 1e5, 5e5];
/** Runs priced by classes of tokens, beside runs that say what they cost. */
const CLASSED_TARGET = 0.75;

let named = 0;

/** Ids that sort by time, like most ids made for databases. */
function inOrder(): string {
  return `run-${process.pid}-${String(++named).padStart(10, "0")}`;
}

/** Ids in random order: in a database index, each new one would be on its own page. */
function inNoOrder(): string {
  return crypto.randomUUID();
}

/** The rates of a model with every feature of a price, and a usage with its own classes. */
const PRICE = {
  provider: "acme",
  input_usd_per_mtok: "3",
  output_usd_per_mtok: "15",
  cache_read_usd_per_mtok: "0.30",
  cache_write_usd_per_mtok: "3.75",
  cache_write_1h_usd_per_mtok: "6",
  units: { web_search: "0.01" },
  tiers: [{ above_input_tokens: 200_000, input_usd_per_mtok: "6", output_usd_per_mtok: "22.50" }],
  variants: { batch: "0.5" },
};
const COSTED = { usage: { input_tokens: 1800, output_tokens: 600 }, cost_usd: "0.001250" };
const CLASSED = {
  usage: {
    input_tokens: 1800,
    output_tokens: 600,
    cache_read_tokens: 1024,
    cache_write_tokens: 512,
    reasoning_tokens: 384,
  },
};

/**
 * What an application collects in about a second. Start times spread over a long time would each touch their own page.
 */
function batch(newId = inOrder, used: object = COSTED): string {
  const runs = Array.from({ length: BATCH }, (_, i) => ({
    id: newId(),
    started_at: new Date(Date.now() - i).toISOString(),
    model: "acme/m1",
    action: "chat.completion",
    workflow_id: "wf_support_answers",
    deployment_id: "dep_europe_production",
    department_id: "dpt_customer_care",
    customer_id: `cus_${i % 50}`,
    ...used,
  }));
  return JSON.stringify({ runs });
}

interface Target {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly pid: number;
}

/** The time of one batch after another. The object is one thread, so this is its throughput. */
async function cost(
  { url, headers, pid }: Target,
  newId = inOrder,
  used: object = COSTED,
): Promise<Measured> {
  const bodies = Array.from({ length: BATCHES }, () => batch(newId, used));
  const times: number[] = [];
  const before = cpuSeconds(pid);
  for (const body of bodies) {
    const from = performance.now();
    const response = await fetch(url, { method: "POST", headers, body });
    const text = await response.text();
    times.push(performance.now() - from);
    if (response.status !== 200) throw new Error(`${url}: ${response.status} ${text.slice(0, 300)}`);
  }
  const cpuMicros = ((cpuSeconds(pid) - before) * 1e6) / (BATCHES * BATCH);
  return { perSecond: (BATCH * 1000) / median(times), cpuMicros, note: "runs of a batch of 1000" };
}

async function startCeiling(
  folder: string,
): Promise<{ target: Target; unique: Target; dispose: () => Promise<void> }> {
  const script = await bundleWorker("scripts/bench/ingest-worker.ts");
  const { port, pid, dispose } = await startAlone(script, {
    defaultPersistRoot: folder,
    durableObjects: {
      TABLE: { className: "OneTable", useSQLite: true },
      UNIQUE: { className: "UniqueTable", useSQLite: true },
    },
  });
  const url = `http://${HOST}:${port}/`;
  const [target, unique] = [url, `${url}unique`].map((to) => ({ url: to, headers: {}, pid: pid() }));
  if (target === undefined || unique === undefined) throw new Error("no table was started");
  return { target, unique, dispose };
}

async function startProduct(dataDir: string): Promise<{ open: () => Promise<Target>; server: Server }> {
  const server = await startServer({ port: 0, dataDir });
  const pid = Number(readFileSync(join(server.folder.path, "workerd.pid"), "utf8"));
  const [base] = server.urls;
  const send = async (method: string, path: string, key: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(`${base}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    const made: { org: { id: string }; owner_key: string } = await response.json();
    return made;
  };
  const operator = server.settings["SVC_OPERATOR_KEY"] ?? "";
  const open = async (): Promise<Target> => {
    const { org, owner_key } = await send("POST", "/v1/admin/orgs", operator, { name: "bench" });
    const below = `/v1/orgs/${org.id}`;
    const budget = { limit_usd: "900000000", period: "month" };
    await send("POST", `${below}/budgets`, owner_key, { ...budget, scope_kind: "org" });
    for (const [scope_kind, scope_id] of [
      ["workflow", "wf_support_answers"],
      ["department", "dpt_customer_care"],
    ]) {
      await send("POST", `${below}/budgets`, owner_key, { ...budget, scope_kind, scope_id });
    }
    await send("PUT", `${below}/models/acme%2Fm1`, owner_key, PRICE);
    await send("PUT", `${below}/spend-cap`, owner_key, { cap_usd: "900000000" });
    await send("POST", `${below}/customer-limits`, owner_key, { ...budget, customer_id: "*" });
    const headers = { authorization: `Bearer ${owner_key}`, "content-type": "application/json" };
    return { url: `${base}/v1/runs/bulk`, headers, pid };
  };
  return { open, server };
}

const BARE = "rows into one table";
const OURS = "bulk ingest, five limits";

interface Sent extends Compared {
  readonly to: Target;
  readonly newId?: () => string;
  readonly used?: object;
}

export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-ingest-"));
  const ceiling = await startCeiling(join(folder, "ceiling"));
  const { open, server } = await startProduct(join(folder, "product"));
  try {
    const sent: Sent[] = [
      { name: BARE, to: ceiling.target },
      { name: "the same with unique ids, in no order", of: BARE, to: ceiling.unique, newId: inNoOrder },
      { name: OURS, of: BARE, target: 1, to: await open() },
      {
        name: "the same, five classes priced from the book",
        of: OURS,
        target: CLASSED_TARGET,
        to: await open(),
        used: CLASSED,
      },
    ];
    const measured = await measureInRounds(sent, ROUNDS, async ({ to, newId, used }, round) => {
      const warmUps = round === 0 ? WARM_UPS : 0;
      for (let warmUp = 0; warmUp < warmUps; warmUp += 1) await cost(to, newId, used);
      return cost(to, newId, used);
    });
    if (BENCH_ROWS !== null && !"stored before".includes(BENCH_ROWS)) return measured;
    return [
      ...measured,
      ...(await growth(await open(), "", inOrder)),
      ...(await growth(await open(), ", ids in no order", inNoOrder)),
    ];
  } finally {
    await server.dispose();
    await ceiling.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The cost of one batch with this many runs stored. It is the same, whatever the ids look like. */
async function growth(to: Target, remark: string, newId: () => string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  let stored = 0;
  for (const want of STORED) {
    while (stored < want) {
      const init = { method: "POST", headers: to.headers, body: batch(newId) };
      await fetch(to.url, init).then((answer) => answer.text());
      stored += BATCH;
    }
    const name = `with ${want.toLocaleString("en")} stored before${remark}`;
    rows.push(...(await measureInRounds([{ name }], 1, () => cost(to, newId))));
    stored += BATCHES * BATCH;
  }
  return rows;
}
