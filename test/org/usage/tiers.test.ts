import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { type Dimension, DIMENSION_NAMES } from "../../../src/contract/dimensions.ts";
import { formatUsd } from "../../../src/domain/price/money.ts";
import { readEntries } from "../../../src/storage/wal/entries.ts";
import { archiveAll } from "../../support/archive.ts";
import { newSpender, type Spender } from "../../support/ledger.ts";
import { call, env } from "../../support/worker.ts";

const DAY = 86_400_000;
const TEAM = "tag:team";
const OUTCOMES = ["completed", "cancelled", "failed"];
const date = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** What a report must have counted, by the names of its groups. */
interface Counted {
  readonly names: Readonly<Record<string, string | null>>;
  readonly nanos: bigint;
  readonly runs: number;
  readonly tokens: number;
  readonly saved: bigint;
}

/** In nano-dollars for a token, without a rest. */
const RATES = { input: 4000n, cached: 1000n, output: 8000n };
const PRICE = {
  input_usd_per_mtok: "4",
  cache_read_usd_per_mtok: "1",
  output_usd_per_mtok: "8",
  variants: { batch: "0.5", priority: "2" },
};
const VARIANTS = [undefined, "batch", "priority"] as const;

/** What a run costs by the price, and what it would have cost more: half of the tokens were cached. */
function pricedRun(nth: number) {
  const variant = VARIANTS[nth % VARIANTS.length];
  const cached = Math.floor(nth / 2);
  const rest = BigInt(nth - cached) * RATES.input + 5n * RATES.output;
  const plain = rest + BigInt(cached) * RATES.cached;
  const full = rest + BigInt(cached) * RATES.input;
  const nanos = variant === "batch" ? plain / 2n : variant === "priority" ? plain * 2n : plain;
  const saved = (variant === "priority" ? full * 2n : full) - nanos;
  const usage = { input_tokens: nth, output_tokens: 5, cache_read_tokens: cached };
  // What looks like it in metadata is not counted.
  const metadata = { saved: "1", note: '"saved":"2"' };
  return { body: { usage, metadata, ...(variant === undefined ? {} : { variant }) }, nanos, saved };
}

function nameOf(dimension: Dimension, nth: number, keyId: string): string | null {
  if (dimension === "key_id") return keyId;
  if (dimension === "outcome") return OUTCOMES[nth % OUTCOMES.length] ?? null;
  const kind = nth % (3 + DIMENSION_NAMES.indexOf(dimension));
  return kind === 0 && dimension !== "model" ? null : `${dimension}-${kind}`;
}

/** A run with its own names, as it is sent and as it counts. */
function runOf(nth: number, keyId: string): { readonly body: object; readonly counted: Counted } {
  const named = DIMENSION_NAMES.map((name) => [name, nameOf(name, nth, keyId)] as const);
  const team = nth % 2 === 0 ? null : `team-${nth % 3}`;
  const stated = 1_000_000_007n * BigInt(1 + (nth % 11)) + BigInt(nth);
  const priced = nth % 4 < 2 ? pricedRun(nth) : null;
  const nanos = priced?.nanos ?? stated;
  const sent = named.filter(([name, value]) => name !== "key_id" && value !== null);
  const body = {
    ...Object.fromEntries(sent),
    id: `run-${nth}`,
    started_at: new Date(Date.now() - 3 * DAY + nth * 1000).toISOString(),
    ...(priced?.body ?? { usage: { input_tokens: nth, output_tokens: 5 }, cost_usd: formatUsd(stated) }),
    ...(team === null ? {} : { tags: { team } }),
  };
  const names = { ...Object.fromEntries(named), [TEAM]: team };
  return { body, counted: { names, nanos, runs: 1, tokens: nth + 5, saved: priced?.saved ?? 0n } };
}

function sumsBy(groupBy: readonly string[], all: readonly Counted[]): Map<string, unknown[]> {
  const groups = new Map<string, Omit<Counted, "names">>();
  for (const { names, nanos, runs, tokens, saved } of all) {
    const key = JSON.stringify(groupBy.map((name) => names[name]));
    const sum = groups.get(key) ?? { nanos: 0n, runs: 0, tokens: 0, saved: 0n };
    groups.set(key, {
      nanos: sum.nanos + nanos,
      runs: sum.runs + runs,
      tokens: sum.tokens + tokens,
      saved: sum.saved + saved,
    });
  }
  return new Map(
    [...groups].map(([key, { nanos, runs, tokens, saved }]) => [
      key,
      [formatUsd(nanos), runs, tokens, formatUsd(saved)],
    ]),
  );
}

async function reported(org: Spender, groupBy: readonly string[]): Promise<Map<string, unknown[]>> {
  const range = `from=${date(Date.now() - 10 * DAY)}&to=${date(Date.now() + 10 * DAY)}`;
  const { status, body } = await org.send(
    "GET",
    `usage/report?${range}&group_by=${groupBy.join(",")}&limit=50000`,
  );
  expect([groupBy, status]).toEqual([groupBy, 200]);
  const rows = body.data as Record<string, unknown>[];
  return new Map(
    rows.map((row) => [
      JSON.stringify(groupBy.map((name) => row[name])),
      [row["cost_usd"], row["runs"], row["tokens"], row["saved_usd"]],
    ]),
  );
}

function tiersOf(org: Spender) {
  return runInDurableObject(env.ORG.getByName(org.id), (_object, { storage: { sql } }) => {
    const count = (of: string) =>
      sql.exec<{ runs: number }>(`SELECT IFNULL(SUM(runs), 0) AS runs ${of}`).one().runs;
    return {
      log: readEntries(sql).bodies.some((body) => body.includes("usage_daily")),
      blocks: count("FROM run_blocks WHERE state = 'runs'"),
      archive: count("FROM run_files WHERE state = 'made'"),
    };
  });
}

test("reports add up the archive, blocks and what only the log has, by every dimension", async () => {
  const org = await newSpender();
  const all: Counted[] = [];
  for (const model of new Set(Array.from({ length: 100 }, (_, nth) => nameOf("model", nth, "")))) {
    expect((await org.send("PUT", `models/${model}`, PRICE)).status).toBe(200);
  }
  const send = async (first: number, count: number, key: string, keyId: string) => {
    const runs = Array.from({ length: count }, (_, at) => runOf(first + at, keyId));
    const bodies = runs.map(({ body }) => body);
    const answer =
      count === 1
        ? await call("POST", "/v1/runs", { key, body: bodies[0] ?? {} })
        : await call("POST", "/v1/runs/bulk", { key, body: { runs: bodies } });
    expect([answer.status, answer.body.rejected ?? 0]).toEqual([count === 1 ? 201 : 200, 0]);
    all.push(...runs.map(({ counted }) => counted));
  };
  const minted = async (name: string) => {
    const { body } = await org.send("POST", "keys", { name, role: "admin" });
    return [body.key as string, body.id as string] as const;
  };
  const [first, second] = [await minted("first"), await minted("second")];
  await send(0, 1000, ...first);
  await archiveAll(org, async () => (await tiersOf(org)).archive === 1000);
  await send(1000, 300, ...second);
  const credit = { amount_usd: "-0.000000007", reason: "credit" };
  expect((await call("POST", "/v1/runs/run-7/adjustments", { key: org.key, body: credit })).status).toBe(201);
  const { names } = all[7] ?? { names: {} };
  all.push({ names, nanos: -7n, runs: 0, tokens: 0, saved: 0n });

  const alone = [...DIMENSION_NAMES, TEAM].map((name) => [name]);
  const together = DIMENSION_NAMES.map((name) => [name, TEAM]);
  for (const [at, groupBy] of [...alone, ...together, ["user_id", "model", TEAM]].entries()) {
    // The report before has written to the tables what the log had.
    await send(1300 + at, 1, ...first);
    expect(await tiersOf(org)).toEqual({ log: true, blocks: 300 + at, archive: 1000 });
    expect(await reported(org, groupBy)).toEqual(sumsBy(groupBy, all));
  }
});
