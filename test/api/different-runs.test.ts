import { expect, test } from "vitest";
import { MAX_BATCH } from "../../src/contract/runs.ts";
import { plainRuns } from "../../src/domain/run/plain/runs.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { newBudget } from "../support/new-budget.ts";
import { call } from "../support/worker.ts";

/** Bulks in which no run repeats a name of another, as large as they may be. */

const MOST_BYTES = 8_388_608;
const AT_ONCE = 25;
/** Of other runs than those that are neighbours in the largest. */
const SMALL_BULK = 30;

/** As long as it may be. Neighbours differ at the end, at the beginning, or in all. */
const name = (start: string, at: number, characters = 128) =>
  at % 4 < 2
    ? `${start}${String(at).padStart(characters - start.length, "-")}`
    : `${String(at).padStart(4, "0")}${start.padEnd(characters - 4, "~")}`;

const usd = (nanos: number) => `0.${String(nanos).padStart(9, "0")}`;
const nanosOf = (at: number) => at * 1001 + 3;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** What can be read in one pass. Every seventh run is without some of it, and some are in another order. */
function plain(at: number): object {
  const run = {
    id: name("r", at),
    started_at: new Date(Date.UTC(2026, 10, 1) + at * 1234 * 1000).toISOString(),
    model: name("m", at, 200),
    action: name("a", at),
    workflow_id: name("w", at),
    deployment_id: name("d", at),
    department_id: name("e", at),
    customer_id: name("c", at),
    user_id: name("u", at),
    provider: name("p", at),
    variant: name("v", at),
    usage: { input_tokens: at + 5, output_tokens: 2 * at + 1, cache_read_tokens: at % 5 },
    cost_usd: usd(nanosOf(at)),
  };
  const entries = Object.entries(run).filter(([field]) => at % 7 !== 3 || !field.endsWith("_id"));
  return Object.fromEntries(at % 16 < 8 ? entries : entries.reverse());
}

/** All that a run can have. */
function full(at: number): object {
  const tags = Array.from({ length: 10 }, (_, tag) => [`t${tag}.${at}`.padEnd(40, "_"), name("x", at, 200)]);
  return {
    ...plain(at),
    ended_at: new Date(Date.UTC(2026, 10, 20) + at).toISOString(),
    tags: Object.fromEntries([...tags.slice(0, 9), ["team", name("t", at, 200)]]),
    chain: { chain_id: name("h", at) },
    usage: { input_tokens: at, output_tokens: at, units: { [`unit.${at}`]: at } },
    outcome: at % 3 === 0 ? "failed" : "completed",
    metadata: { [`k${at}`]: at, text: "" },
  };
}

/** With as much metadata as fills the body to its last byte. */
function filled(runs: readonly object[]): object[] {
  const free = MOST_BYTES - new TextEncoder().encode(JSON.stringify({ runs })).byteLength;
  const each = Math.floor(free / runs.length);
  return runs.map((run, at) => ({
    ...run,
    metadata: { [`k${at}`]: at, text: "x".repeat(at === 0 ? free - each * (runs.length - 1) : each) },
  }));
}

const GROUPED = ["model", "customer_id", "workflow_id", "user_id", "provider", "tag:team"];
const OVER_ALL = "from=2026-10-01&to=2026-12-01";

async function aSpender(): Promise<{ org: Spender; budgets: string[] }> {
  const org = await newSpender();
  const made = [
    await newBudget(org, { scope_kind: "org", limit_usd: "100", period: "total" }),
    await newBudget(org, { match: {}, group_by: ["customer_id"], limit_usd: "100", period: "total" }),
    await newBudget(org, { match: {}, group_by: ["tag:team", "model"], limit_usd: "100", period: "total" }),
  ];
  return { org, budgets: made.map(({ id }) => id) };
}

async function everyPage(org: Spender, path: string): Promise<object[]> {
  const found: object[] = [];
  for (let cursor = ""; ;) {
    const { status, body } = await call("GET", `${path}limit=200${cursor}`, { key: org.key });
    expect(status).toBe(200);
    found.push(...body.data);
    if (body.next_cursor === null) return found;
    cursor = `&cursor=${encodeURIComponent(body.next_cursor as string)}`;
  }
}

async function spentOf(org: Spender, budgets: readonly string[]): Promise<(string | null)[][]> {
  const spent = [];
  for (const id of budgets) {
    const { body } = await org.send("GET", `budgets/${id}`);
    spent.push([body.spent_usd ?? null, body.reserved_usd ?? null, body.available_usd ?? null]);
  }
  return spent;
}

/** All that an org says of its runs, without what differs between two orgs that are told the same. */
async function told({ org, budgets }: Awaited<ReturnType<typeof aSpender>>) {
  const runs = await everyPage(org, "/v1/runs?sort=started_at&");
  const reports = [];
  for (const by of GROUPED) {
    const { body } = await org.send("GET", `usage/report?${OVER_ALL}&group_by=${by}&sort=${by}&limit=1000`);
    reports.push({ data: body.data, totals: body.totals, groups: body.groups });
  }
  const spent = await spentOf(org, budgets);
  const groups = [];
  for (const id of budgets.slice(1)) {
    groups.push(await everyPage(org, `/v1/orgs/${org.id}/budgets/${id}/groups?`));
  }
  const days = (await org.send("GET", "usage?from=2026-11-01&to=2026-11-30")).body;
  const plan = (await org.send("GET", "plan")).body.usage;
  const ids = new Map(budgets.map((id, at) => [id, `budget ${at}`]));
  const times = /"(recorded_at|charged_at|period_start)":"[^"]+"/g;
  const text = JSON.stringify({ runs, reports, spent, groups, days, plan })
    .replaceAll(times, '"$1":"*"')
    .replaceAll(/"key_id":"[^"]+"/g, '"key_id":"*"')
    .replaceAll(/bud_\w+/g, (id) => ids.get(id) ?? id);
  return JSON.parse(text) as { runs: { id: string; cost_usd: string }[]; spent: string[][] };
}

/** Every tenth alone, some of them at once, and the others in small bulks. */
async function apartFrom(org: Spender, runs: readonly object[]): Promise<void> {
  const alone = runs.filter((_run, at) => at % 10 === 3);
  for (let from = 0; from < alone.length; from += AT_ONCE) {
    const some = alone.slice(from, from + AT_ONCE);
    const answers = await Promise.all(some.map((body) => call("POST", "/v1/runs", { key: org.key, body })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  }
  const others = runs.filter((_run, at) => at % 10 !== 3);
  for (let from = 0; from < others.length; from += SMALL_BULK) {
    const some = others.slice(from, from + SMALL_BULK);
    const { body } = await call("POST", "/v1/runs/bulk", { key: org.key, body: { runs: some } });
    expect(body).toMatchObject({ accepted: some.length });
  }
}

const many = (make: (at: number) => object) => Array.from({ length: MAX_BATCH }, (_, at) => make(at));

test.each([
  ["of common fields, read in one pass", many(plain), true],
  ["of all fields and as many bytes as may be", filled(many(full)), false],
] as const)(
  "a bulk of runs with no name in common is recorded as in small bulks and each alone, %s",
  async (_, runs, isPlain) => {
    const [together, apart] = [await aSpender(), await aSpender()];
    const { key } = together.org;
    const body = JSON.stringify({ runs });
    expect(plainRuns(body) !== null).toBe(isPlain);
    if (!isPlain) {
      expect((await call("POST", "/v1/runs/bulk", { key, body: `${body} ` })).status).toBe(413);
    }
    const sent = await call("POST", "/v1/runs/bulk", { key, body });
    expect(sent.body).toMatchObject({ accepted: MAX_BATCH, duplicates: 0, rejected: 0 });
    await apartFrom(apart.org, runs);
    const [all, each] = [await told(together), await told(apart)];
    expect(all.runs).toHaveLength(MAX_BATCH);
    expect(all).toEqual(each);
    expect(Number(all.spent[0]?.[0])).toBe(Number(usd(sum(runs.map((_run, at) => nanosOf(at))))));
    const again = await call("POST", "/v1/runs/bulk", { key, body });
    expect(again.body).toMatchObject({ accepted: 0, duplicates: MAX_BATCH });
    expect(await spentOf(together.org, together.budgets)).toEqual(all.spent);
  },
);
