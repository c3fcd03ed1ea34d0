import { runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, test, vi } from "vitest";
import { newSpender, type Spender } from "../../support/ledger.ts";
import { type Browser, signedIn } from "../../support/session.ts";
import { call, env } from "../../support/worker.ts";
import { PATIENT } from "../../support/patience.ts";

/** How much of an org with many runs and customers its object reads for a page. */

const DAY_MS = 86_400_000;
/** Fewer runs than due work makes a rollup of. */
const SEGMENTS = 15;
const RUNS = 1000;
const CUSTOMERS = 3000;
/** Runs of one customer are in every third segment. */
const OWN_SEGMENTS = SEGMENTS / 3;

let org: Spender;
let browser: Browser;
let budgetId = "";
let now = 0;
const dayAt = (daysAgo: number) => new Date(now - daysAgo * DAY_MS).toISOString().slice(0, 10);

interface Reads {
  /** Filters of names, each of a segment. */
  readonly filters: number;
  readonly segments: number;
  /** Sums of a name on a day. */
  readonly days: number;
}

interface Executed {
  readonly statement: string;
  readonly bindings: readonly SqlStorageValue[];
  readonly cursor: { readonly rowsRead: number };
}

let executed: Executed[] = [];

async function readsOf(path: string): Promise<Reads & { readonly text: string }> {
  const stub = env.ORG.getByName(org.id);
  await runInDurableObject(stub, () => (executed = []));
  const page = await browser.get(path);
  expect([path, page.status]).toEqual([path, 200]);
  const text = await page.text();
  return runInDurableObject(stub, () => {
    const sumOf = (part: string, countOf: (one: Executed) => number) =>
      executed
        .filter(({ statement }) => statement.includes(part))
        .reduce((sum, one) => sum + countOf(one), 0);
    return {
      filters: sumOf(
        "first_seq, names FROM run_blocks",
        ({ bindings: [seqs] }) => (JSON.parse(seqs as string) as number[]).length,
      ),
      segments: sumOf("data AS part FROM run_blocks", () => 1),
      days: sumOf("usage_daily", ({ cursor }) => cursor.rowsRead),
      text,
    };
  });
}

beforeAll(async () => {
  org = await newSpender();
  // All runs are in the budget's period.
  now = await org.advance(new Date().getUTCMonth() === 0 ? 31 * 86_400 : 1);
  for (let nth = 0; nth < SEGMENTS; nth += 1) {
    const runs = Array.from({ length: RUNS }, (_, at) => ({
      started_at: `${dayAt((SEGMENTS - 1 - nth) / 2)}T00:00:00Z`,
      model: `acme/m${at % 3}`,
      customer_id: `c${(nth * RUNS + at) % CUSTOMERS}`,
      workflow_id: `w${at % 50}`,
      usage: { input_tokens: 10, output_tokens: 1 },
      cost_usd: "0.001",
      incurred: true,
    }));
    expect((await org.bulk(runs)).body.accepted).toBe(RUNS);
  }
  const budget = { scope_kind: "workflow", scope_id: "w7", limit_usd: "1.00", period: "year" };
  budgetId = (await org.send("POST", "budgets", budget)).body.id;
  // Passed by what had happened, and by a run that came late.
  const run = { workflow_id: "w7", customer_id: "c7", model: "acme/m1", incurred: true };
  const late = `${dayAt(6)}T00:00:00Z`;
  expect((await org.run({ ...run, cost_usd: "2.50", started_at: late })).status).toBe(201);
  expect((await org.run({ ...run, id: "refunded", cost_usd: "0.75" })).status).toBe(201);
  const refund = { amount_usd: "-0.25", reason: "refund" };
  expect((await call("POST", "/v1/runs/refunded/adjustments", { key: org.key, body: refund })).status).toBe(
    201,
  );
  browser = await signedIn(org.id, "admin");
  await runInDurableObject(env.ORG.getByName(org.id), (_object, { storage: { sql } }) => {
    const exec = sql.exec.bind(sql);
    const watched = (statement: string, ...bindings: SqlStorageValue[]) => {
      const cursor = exec(statement, ...bindings);
      executed.push({ statement, bindings, cursor });
      return cursor;
    };
    Object.defineProperty(sql, "exec", { value: watched });
  });
});

test("the page of a budget reads no run, and no days of other names", async () => {
  const { segments, filters, days, text } = await readsOf(`/console/budgets/${budgetId}`);
  expect([segments, filters]).toEqual([0, 0]);
  expect(days).toBeLessThan(150);
  const range = `from=${dayAt(0).slice(0, 4)}-01-01&to=${dayAt(-1)}&group_by=day&workflow_id=w7`;
  const { totals } = (await org.send("GET", `usage/report?${range}`)).body;
  const { spent, over } = (await org.send("GET", `budgets/${budgetId}`)).body;
  expect([totals.cost_usd, spent, over]).toEqual(["3.30", "3.00", "2.00"]);
  const uncounted = (Number(totals.cost_usd) - Number(spent)).toFixed(2);
  expect(text).toMatch(new RegExp(`<span class="number">\\$${uncounted}</span> came before that`));
  expect(text).toContain("$2.00</span> over:</strong> <a href=");
  expect(text).toContain(`In the last 30 days these calls took $${totals.cost_usd}.`);
});

test("the page of a customer reads only segments that have its runs, and their filters once", async () => {
  const first = await readsOf("/console/customers/c5");
  expect(first.filters).toBeLessThanOrEqual(SEGMENTS + 2);
  // For the list, for the last run and for the models.
  expect(first.segments).toBeLessThanOrEqual(2 * OWN_SEGMENTS + 1);
  expect(first.days).toBeLessThan(150);
  const again = await readsOf("/console/customers/c5");
  expect([again.filters, again.days]).toEqual([0, first.days]);
  await org.run({ customer_id: "c5", cost_usd: "0.125", incurred: true });
  const later = await readsOf("/console/customers/c5");
  expect(later.filters).toBeLessThanOrEqual(2);
  const asked = `from=${dayAt(29)}&to=${dayAt(-1)}&customer_id=c5&group_by=user_id`;
  const { totals } = (await org.send("GET", `usage/report?${asked}`)).body;
  expect(totals).toMatchObject({ cost_usd: "0.13", runs: OWN_SEGMENTS + 1 });
  expect(later.text).toContain(`$${totals.cost_usd}</span>`);
});

test("who spends and who changed most are read once, and then kept", async () => {
  for (const path of ["/console", "/console?list=changed"]) {
    await readsOf(path);
    const { segments, days } = await readsOf(path);
    expect([path, segments]).toEqual([path, 0]);
    expect(days).toBeLessThan(CUSTOMERS);
  }
});

test("figures are those of the report, also where retention has deleted runs", async () => {
  await org.send("PUT", "retention-policy", { runs_days: 3, audit_days: 90, deliveries_days: 7 });
  now = await org.advance(4 * 86_400);
  const kept = async () => (await call("GET", "/v1/runs?customer_id=c7", { key: org.key })).body.data;
  // They are deleted in steps.
  await vi.waitUntil(async () => (await kept()).length === 0, PATIENT);
  browser = await signedIn(org.id, "admin");
  const asked = `from=${dayAt(29)}&to=${dayAt(-1)}&group_by=day`;
  const totalOf = async (filter: string) =>
    (await org.send("GET", `usage/report?${asked}&${filter}`)).body.totals.cost_usd as string;
  expect([await totalOf("workflow_id=w7"), await totalOf("customer_id=c7")]).toEqual(["3.30", "3.005"]);
  const budget = await readsOf(`/console/budgets/${budgetId}`);
  expect(budget.text).toContain("In the last 30 days these calls took $3.30.");
  expect((await readsOf("/console/customers/c7")).text).toContain("$3.005</span>");
});
