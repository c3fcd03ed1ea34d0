import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../server.ts";
import type { BenchRow } from "./bench-row.ts";
import { QUICK, WRITES } from "./harness.ts";
import { reach } from "./send.ts";
import type { Written } from "./rows-worker.ts";

/**
 * Rows written, which are what the platform's bill is made of: for each operation over its whole life, from the call to
 * the sweep that deletes it. Index rows, deletions and alarms count.
 */

/** Rows are exact however busy the machine is, so the page has those of many calls. */
const IS_SHORT = QUICK && !WRITES;
const ALONE = IS_SHORT ? 300 : 1500;
const BULKS = IS_SHORT ? 4 : 20;
const DECISIONS = IS_SHORT ? 300 : 1500;
const BUSY_SECONDS = IS_SHORT ? 4 : 15;
const DECISIONS_A_SECOND = 50;
/** After all that is kept: sweeps delete in steps, each a clock advance apart. */
const LIFE_DAYS = [1, 1, 10, 100, 400, 500, 1, 1, 1];
const DAY_SECONDS = 86_400;

interface Org {
  readonly id: string;
  send(method: string, path: string, body: object, idempotencyKey?: string): Promise<Record<string, unknown>>;
  /** What was written since it was last asked. */
  written(): Promise<Written>;
  decideInObject(): Promise<string>;
  liveOn(days: number): Promise<void>;
}

async function openOrg(base: string, operator: string): Promise<Org> {
  const call = async (method: string, path: string, key: string | Headers, body: object) => {
    const headers = new Headers(typeof key === "string" ? { authorization: `Bearer ${key}` } : key);
    headers.set("content-type", "application/json");
    const response = await reach(`${base}${path}`, { method, headers, body: JSON.stringify(body) });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${answer.slice(0, 300)}`);
    return JSON.parse(answer) as Record<string, unknown>;
  };
  const made = await call("POST", "/v1/admin/orgs", operator, { name: "rows", environment: "test" });
  const { org, owner_key: key } = made as unknown as { org: { id: string }; owner_key: string };
  const below = `/v1/orgs/${org.id}`;
  const budget = { scope_kind: "org", limit_usd: "900000000", period: "month", mode: "enforce" };
  await call("POST", `${below}/budgets`, key, budget);
  await call("PUT", `${below}/spend-cap`, key, { cap_usd: "900000000" });
  const policy = { runs_days: 3, audit_days: 90, deliveries_days: 7, legal_hold: false };
  await call("PUT", `${below}/retention-policy`, key, policy);
  const bench = async (what: string) => (await reach(`${base}/bench/${what}?org=${org.id}`)).json();
  return {
    id: org.id,
    send(method, path, body, idempotencyKey) {
      const headers = new Headers({ authorization: `Bearer ${key}` });
      if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
      return call(method, path, headers, body);
    },
    written: async () => (await bench("written")) as Written,
    decideInObject: async () => ((await bench("decide")) as { reservation: { id: string } }).reservation.id,
    async liveOn(days) {
      const advance = { advance_seconds: days * DAY_SECONDS };
      await call("POST", `/v1/admin/orgs/${org.id}/test-clock`, operator, advance);
    },
  };
}

function aRun(fields: object = {}): object {
  return {
    started_at: new Date().toISOString(),
    model: "acme/m1",
    usage: { input_tokens: 1800, output_tokens: 600 },
    workflow_id: "w",
    department_id: "d",
    customer_id: "c",
    cost_usd: "0.01",
    ...fields,
  };
}

/** Rows by table, for one of so many operations, without what happens anyway while time passes. */
class Tally {
  readonly #rows = new Map<string, number>();

  add({ rows }: Pick<Written, "rows">, sign = 1): this {
    for (const [table, count] of Object.entries(rows)) {
      this.#rows.set(table, (this.#rows.get(table) ?? 0) + sign * count);
    }
    return this;
  }

  row(name: string, operations: number, target: number | null): BenchRow {
    const each = [...this.#rows].map(([table, count]) => [table, count / operations] as const);
    const total = each.reduce((sum, [, count]) => sum + count, 0);
    const tables = each.filter(([, count]) => count >= 0.005).sort(([, a], [, b]) => b - a);
    const note = tables.map(([table, count]) => `${table} ${count.toFixed(2)}`).join(", ");
    return {
      name,
      perSecond: Number(total.toFixed(3)),
      cpuMicros: null,
      ratio: null,
      of: "rows written",
      target,
      note,
    };
  }
}

/** To the end of all that a call left behind; what an org without calls writes meanwhile is taken off. */
async function lifeOf(org: Org, idle: Org, tally: Tally): Promise<Tally> {
  await idle.written();
  for (const days of LIFE_DAYS) {
    await org.liveOn(days);
    await idle.liveOn(days);
  }
  return tally.add(await org.written()).add(await idle.written(), -1);
}

async function runsAlone(org: Org, idle: Org, keyed: boolean): Promise<BenchRow> {
  await org.send("POST", "/v1/runs", aRun());
  await org.written();
  for (let sent = 0; sent < ALONE; sent += 1) {
    await org.send("POST", "/v1/runs", aRun(), keyed ? `k${sent}` : undefined);
  }
  const tally = new Tally().add(await org.written());
  const name = `run sent alone${keyed ? ", with an idempotency key" : ""}`;
  return (await lifeOf(org, idle, tally)).row(name, ALONE, keyed ? null : 4);
}

async function runsInBulk(org: Org, idle: Org, size: number, target: number): Promise<BenchRow> {
  const runs = () => ({ runs: Array.from({ length: size }, () => aRun()) });
  await org.send("POST", "/v1/runs/bulk", runs());
  await org.written();
  for (let sent = 0; sent < BULKS; sent += 1) await org.send("POST", "/v1/runs/bulk", runs());
  const tally = new Tally().add(await org.written());
  return (await lifeOf(org, idle, tally)).row(`run in bulks of ${size}`, BULKS * size, target);
}

/** Decided by the object one by one, each settled by a run alone a few calls later; the runs' own rows are taken off. */
async function decisionsOfObject(org: Org, idle: Org): Promise<BenchRow> {
  const settle = (id: string | undefined) => org.send("POST", "/v1/runs", aRun({ reservation_id: id }));
  await settle(await org.decideInObject());
  await org.written();
  const open: string[] = [];
  for (let made = 0; made < DECISIONS; made += 1) {
    open.push(await org.decideInObject());
    if (open.length > 5) await settle(open.shift());
  }
  for (const id of open) await settle(id);
  const tally = await lifeOf(org, idle, new Tally().add(await org.written()));
  return tally.row("decision by the object and the run that settles it", DECISIONS, 8);
}

/** Calls that an isolate decides by itself, settled in bulks: what they write, and what each report of the isolate does. */
async function decisionsOfIsolate(org: Org, idle: Org): Promise<BenchRow[]> {
  const decide = async () => {
    const ask = { estimate: { cost_usd: "0.01" }, customer_id: "c" };
    const verdict = await org.send("POST", "/v1/edge/decision", ask);
    return (verdict as unknown as { reservation: { id: string } }).reservation.id;
  };
  const settle = (ids: readonly string[]) =>
    org.send("POST", "/v1/runs/bulk", { runs: ids.map((id) => aRun({ reservation_id: id })) });
  const warming: string[] = [];
  while (warming.length < 30) warming.push(await decide());
  await settle(warming);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await org.written();
  const asked: Promise<string>[] = [];
  const began = Date.now();
  for (let at = 0; at < BUSY_SECONDS * DECISIONS_A_SECOND; at += 1) {
    const next = began + (at * 1000) / DECISIONS_A_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - Date.now())));
    asked.push(decide());
  }
  const ids = await Promise.all(asked);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const decided = await org.written();
  // Reservations count for the decisions, and so does the entry of each that the isolate left to the object.
  const others = Object.entries(decided.rows).filter(([table]) => !table.startsWith("hold"));
  const reports = new Tally()
    .add({ rows: Object.fromEntries(others) })
    .add({ rows: { journal: decided.decisions } }, -1)
    .row("lease report", decided.reports, 1);
  const tally = new Tally().add(decided);
  for (let at = 0; at < ids.length; at += 1000) await settle(ids.slice(at, at + 1000));
  const settled = await lifeOf(org, idle, tally.add(await org.written()));
  const name = "decision in an isolate, settled by a bulk run";
  return [reports, settled.row(name, ids.length, 0.3)];
}

export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-rows-"));
  const server = await startServer({ port: 0, dataDir: folder, entry: "scripts/bench/rows-worker.ts" });
  try {
    const open = () => openOrg(server.urls[0] ?? "", server.settings["SVC_OPERATOR_KEY"] ?? "");
    return [
      await runsAlone(await open(), await open(), false),
      await runsAlone(await open(), await open(), true),
      await runsInBulk(await open(), await open(), 1000, 0.05),
      await runsInBulk(await open(), await open(), 100, 0.2),
      await decisionsOfObject(await open(), await open()),
      ...(await decisionsOfIsolate(await open(), await open())),
    ];
  } finally {
    await server.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}
