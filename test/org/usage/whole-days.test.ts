import { beforeAll, expect, test } from "vitest";
import { newSpender, type Spender } from "../../support/ledger.ts";
import { rowsOf } from "../../support/rows.ts";
import { call } from "../../support/worker.ts";

const DAY = 86_400_000;
const FIGURES = ["runs", "tokens", "input_tokens", "output_tokens", "cache_read_tokens", "reasoning_tokens"];

type Line = Record<string, string | number | null>;

let org: Spender;
let now = 0;

const at = (daysAgo: number, hours = 0) => new Date(now - daysAgo * DAY + hours * 3_600_000).toISOString();
const dayAt = (daysAgo: number) => at(daysAgo).slice(0, 10);

async function report(query: string): Promise<Line[]> {
  const answer = await org.send("GET", `usage/report?limit=50000&${query}`);
  expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, answer.text.slice(0, 200)]);
  return answer.body.data as Line[];
}

const nanosOf = (usd: string) => {
  const [whole = "", part = ""] = usd.replace("-", "").split(".");
  return BigInt(whole + part.padEnd(9, "0")) * (usd.startsWith("-") ? -1n : 1n);
};

/** By a name that no daily sums are kept for, so that every run is read; then added up by the names that are asked for. */
async function scanned(query: string, names: readonly string[]): Promise<unknown[][]> {
  const lines = await report(`${query}&group_by=${[...names, "user_id"].join(",")}`);
  const groups = Map.groupBy(lines, (line) => JSON.stringify(names.map((name) => line[name])));
  return Array.from(groups, ([key, all]) => summed(key, all)).toSorted(byKey);
}

async function read(query: string, names: readonly string[]): Promise<unknown[][]> {
  const lines = await report(`${query}&group_by=${names.join(",")}`);
  const keyed = lines.map((line) => summed(JSON.stringify(names.map((name) => line[name])), [line]));
  return keyed.toSorted(byKey);
}

function summed(key: string, lines: readonly Line[]): unknown[] {
  const nanos = lines.reduce((sum, line) => sum + nanosOf(String(line["cost_usd"])), 0n);
  const counts = FIGURES.map((name) => lines.reduce((sum, line) => sum + Number(line[name]), 0));
  return [key, nanos, ...counts];
}

function byKey([one]: unknown[], [other]: unknown[]): number {
  return String(one) < String(other) ? -1 : 1;
}

beforeAll(async () => {
  org = await newSpender();
  now = await org.advance(1);
  const ask = { on_expiry: "charge", hold_seconds: 30, customer_id: "c1", user_id: "u1", model: "acme/m1" };
  const estimate = { cost_usd: "7", input_tokens: 40, max_output_tokens: 2 };
  const [kept, replaced] = [await org.decide("0", { ...ask, estimate }), await org.decide("7", ask)];
  expect([kept.status, replaced.status]).toEqual([200, 200]);
  const usage = { input_tokens: 100, output_tokens: 50, cache_read_tokens: 30, reasoning_tokens: 5 };
  const runs = Array.from({ length: 60 }, (_, nth) => ({
    id: `r${nth}`,
    started_at: at(nth % 6, nth % 23),
    model: `acme/m${nth % 2}`,
    user_id: `u${nth % 7}`,
    ...(nth % 4 === 0 ? {} : { customer_id: `c${nth % 4}` }),
    ...(nth % 5 === 0 ? { department_id: "d1" } : {}),
    usage: nth % 3 === 0 ? usage : { input_tokens: nth, output_tokens: 1 },
    cost_usd: `0.00000000${nth % 10}`,
  }));
  expect((await org.bulk(runs)).body.accepted).toBe(60);
  now = await org.advance(120);
  const own = { reservation_id: replaced.body.reservation.id, customer_id: "c2", user_id: "u2" };
  expect((await org.run({ ...own, started_at: at(1), cost_usd: "2", usage })).status).toBe(201);
  // Late, and for a customer of its own.
  await org.run({ customer_id: "late", user_id: "u9", started_at: at(5, 1), cost_usd: "3", usage });
  const body = { amount_usd: "-0.000000003", reason: "r" };
  const adjusted = await call("POST", "/v1/runs/r9/adjustments", { key: org.key, body });
  expect(adjusted.status).toBe(201);
});

test.each([
  [["customer_id"], () => `from=${dayAt(6)}&to=${dayAt(-2)}`],
  [["day", "customer_id"], () => `from=${dayAt(6)}&to=${dayAt(0)}`],
  [["model", "week"], () => `from=${dayAt(5)}&to=${dayAt(-2)}`],
  [["month"], () => `from=${dayAt(6)}&to=${dayAt(-2)}`],
  [["customer_id"], () => `from=${at(4, 5)}&to=${at(-1, 3)}`],
  [["customer_id"], () => `from=${dayAt(6)}&to=${dayAt(-2)}&timezone=Asia/Tokyo`],
  [["day", "customer_id"], () => `from=${dayAt(6)}&to=${dayAt(-2)}&timezone=America/New_York`],
  [["day", "department_id"], () => `from=${at(4, 5)}&to=${at(0, 3)}`],
  [["day"], () => `from=${dayAt(6)}&to=${dayAt(-2)}&customer_id=c1`],
])("by %j, daily sums say what the runs do", async (names, query) => {
  const lines = await read(query(), names);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines).toEqual(await scanned(query(), names));
});

test("full days are read from their sums", async () => {
  const query = `from=${dayAt(6)}&to=${dayAt(-2)}`;
  const edged = `from=${at(6, 5)}&to=${at(-1, 3)}`;
  const before = [await read(query, ["customer_id"]), await read(edged, ["customer_id"])];
  const tampered = "UPDATE usage_daily SET usd = CAST(usd AS INTEGER) + 1 WHERE day = ?";
  await rowsOf(org.id, tampered, dayAt(3));
  for (const [index, range] of [query, edged].entries()) {
    expect(await read(range, ["customer_id"])).not.toEqual(before[index]);
  }
  await rowsOf(org.id, "UPDATE usage_daily SET usd = CAST(usd AS INTEGER) - 1 WHERE day = ?", dayAt(3));
});

test("a report of longer ago than daily sums are kept for reads the runs", async () => {
  await org.run({ customer_id: "old", user_id: "u1", started_at: at(420), cost_usd: "4" });
  await rowsOf(org.id, "DELETE FROM usage_daily WHERE day < ?", dayAt(400));
  const found = await read(`from=${dayAt(425)}&to=${dayAt(390)}`, ["customer_id"]);
  expect(found.map(([key, nanos]) => [key, nanos])).toEqual([['["old"]', 4_000_000_000n]]);
});
