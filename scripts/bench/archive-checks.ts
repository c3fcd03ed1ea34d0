import type { BenchOrg } from "./archive-org.ts";
import { costOf, idOf, modelOf, nanosOf, runAt, STEP_MS, usdOf } from "./archive-runs.ts";

/** Whether an org with archived runs answers as it should, compared with what was sent. */

const PAGE = 200;
const BATCH = 1000;
const LOOKUPS = 50;
const REPORTED = 20_000;

function expectSame(what: string, found: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
  if (one !== other) throw new Error(`${what}: ${one?.slice(0, 300)} instead of ${other?.slice(0, 300)}`);
}

export async function checkAll(org: BenchOrg): Promise<string> {
  const before = await org.bench<number>("reads");
  const pageReads = await pages(org);
  await lookUp(org);
  const duplicateReads = await duplicates(org);
  await sums(org);
  const reads = (await org.bench<number>("reads")) - before;
  return `lists, lookups, duplicates and sums right (${reads} reads of files; at most ${pageReads} for a page, ${duplicateReads} for 1,000 scattered duplicates)`;
}

/** Pages from both ends and the middle, and one that follows another. */
async function pages(org: BenchOrg): Promise<number> {
  const { sent, startMs } = org.saved;
  const iso = (number: number) => new Date(startMs + number * STEP_MS).toISOString();
  const read = async (query: string) => {
    const before = await org.bench<number>("reads");
    const page = await org.send<{ data: { id: string; cost_usd: string }[]; next_cursor: string | null }>(
      "GET",
      `/v1/runs?limit=${PAGE}&${query}`,
    );
    return { page, reads: (await org.bench<number>("reads")) - before };
  };
  let most = 0;
  for (const first of [0, Math.floor(sent / 2), sent - 2 * PAGE]) {
    const up = await read(`sort=started_at&from=${iso(first)}`);
    expectSame(
      "a page",
      up.page.data.map(({ id }) => id),
      idsFrom(first, 1),
    );
    expectSame(
      "costs of a page",
      up.page.data.map(({ cost_usd: cost }) => cost),
      Array.from({ length: PAGE }, (_, at) => usdOf(nanosOf(first + at))),
    );
    const next = await read(`sort=started_at&from=${iso(first)}&cursor=${up.page.next_cursor}`);
    expectSame(
      "the next page",
      next.page.data.map(({ id }) => id),
      idsFrom(first + PAGE, 1),
    );
    const down = await read(`sort=-started_at&to=${iso(first + PAGE)}`);
    expectSame(
      "a page backwards",
      down.page.data.map(({ id }) => id),
      idsFrom(first + PAGE - 1, -1),
    );
    most = Math.max(most, up.reads, next.reads, down.reads);
  }
  return most;
}

function idsFrom(first: number, step: 1 | -1): string[] {
  return Array.from({ length: PAGE }, (_, at) => idOf(first + at * step));
}

async function lookUp(org: BenchOrg): Promise<void> {
  const { sent, startMs } = org.saved;
  for (let at = 0; at < LOOKUPS; at += 1) {
    const number = Math.floor((at * sent) / LOOKUPS);
    const run = await org.send<Record<string, unknown>>("GET", `/v1/runs/${idOf(number)}`);
    const { id, model, cost_usd, started_at } = runAt(number, startMs) as Record<string, string>;
    expectSame("a run", [run["id"], run["model"], run["cost_usd"]], [id, model, cost_usd]);
    expectSame("its start", Date.parse(String(run["started_at"])), Date.parse(String(started_at)));
    expectSame("an unknown id", await org.status("GET", `/v1/runs/${idOf(2 ** 31 + number)}`), 404);
  }
}

/** Known runs from everywhere are duplicates, and nothing else changes. */
async function duplicates(org: BenchOrg): Promise<number> {
  const { sent, startMs } = org.saved;
  const numbers = Array.from({ length: BATCH }, (_, at) => Math.floor((at * sent) / BATCH));
  const before = await org.bench<number>("reads");
  const again = await org.send<Record<string, unknown>>("POST", "/v1/runs/bulk", {
    runs: numbers.map((number) => runAt(number, startMs)),
  });
  const { accepted, duplicates: known, rejected } = again;
  expectSame("known runs", { accepted, known, rejected }, { accepted: 0, known: BATCH, rejected: 0 });
  return (await org.bench<number>("reads")) - before;
}

function byName(rows: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  return rows.toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Of the limit, of the files, and of a report that reads runs of the middle. */
async function sums(org: BenchOrg): Promise<void> {
  const { id, sent, startMs, budgetId } = org.saved;
  const budget = await org.send<{ spent_usd: string }>("GET", `/v1/orgs/${id}/budgets/${budgetId}`);
  expectSame("the budget", budget.spent_usd, usdOf(costOf(0, sent)));
  const first = Math.floor(sent / 2 / REPORTED) * REPORTED;
  const iso = (number: number) => new Date(startMs + number * STEP_MS).toISOString();
  const report = await org.send<{ data: { model: string; runs: number; cost_usd: string }[] }>(
    "GET",
    `/v1/orgs/${id}/usage/report?from=${iso(first)}&to=${iso(first + REPORTED)}&group_by=model`,
  );
  const expected = new Map<string, bigint>();
  for (let number = first; number < first + REPORTED; number += 1) {
    const model = modelOf(number);
    expected.set(model, (expected.get(model) ?? 0n) + BigInt(nanosOf(number)));
  }
  expectSame(
    "a report",
    byName(report.data.map((row) => [row.model, row.cost_usd])),
    byName(Array.from(expected, ([model, nanos]) => [model, usdOf(nanos)])),
  );
}
