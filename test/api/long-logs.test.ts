import { describe, expect, test } from "vitest";
import { showAttempt } from "../../src/org/approvals/attempt.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { call } from "../support/worker.ts";
import { addToLog } from "../support/logs.ts";

/** More than one page scans. */
const ROWS = 120_000;
const SEEN = 50_000;

const COUNTING = `WITH RECURSIVE counting (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counting WHERE n < ?1)`;

const idOf = (prefix: string, n: number) => `${prefix}_${String(n).padStart(26, "0")}`;

/** Rows one second apart, the last of them now. The fifth has the rare value, and of events also those where a page in either order goes on. */
const ROWS_OF = {
  audit: (n: number, at: number) => [
    n + 1000,
    idOf("aud", n),
    at,
    "key.minted",
    "key",
    "k",
    null,
    n === 5 ? "rare" : "t",
    "done",
    "t",
    null,
    "{}",
    "h",
  ],
  events: (n: number, at: number) => [
    n + 1000,
    idOf("evt", n),
    [5, 50_001, 70_000].includes(n) ? "quota.low" : "key.revoked",
    at,
    "{}",
    null,
  ],
} as const;

async function fillLog(orgId: string, log: "audit" | "events", start: number): Promise<void> {
  await rowsOf(orgId, `DELETE FROM ${log === "audit" ? "audit_pages" : "event_pages"}`);
  const rows = Array.from({ length: ROWS }, (_, at) => ROWS_OF[log](at + 1, start + (at + 1) * 1000));
  await addToLog(orgId, log, rows);
}

interface Walk {
  readonly found: number;
  readonly pages: number;
  readonly isRepeated: boolean;
}

async function walk(org: Spender, path: string): Promise<Walk> {
  const ids: string[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const next: string = cursor === null ? "" : `&cursor=${cursor}`;
    const { status, body } = await call("GET", `/v1/orgs/${org.id}/${path}${next}`, { key: org.key });
    expect(status).toBe(200);
    ids.push(...(body.data as { id: string }[]).map(({ id }) => id));
    cursor = body.next_cursor as string | null;
    pages += 1;
  } while (cursor !== null && pages < 50);
  return { found: ids.length, pages, isRepeated: new Set(ids).size < ids.length };
}

describe.each([
  { log: "audit", path: "audit-log", rare: "target=rare", none: "target=none", found: 1 },
  { log: "events", path: "events", rare: "type=quota.low", none: "type=run.over_limit", found: 3 },
] as const)("a list of $log with a rare filter", ({ log, path, rare, none, found }) => {
  test("scans a bounded number of rows per page, says where to continue, and finds everything in either order", async () => {
    const org = await newSpender();
    const start = Date.now() - ROWS * 1000;
    await fillLog(org.id, log, start);
    for (const sort of ["-created_at", "created_at"]) {
      const pagesForAll = Math.ceil(ROWS / SEEN);
      expect(await walk(org, `${path}?${rare}&sort=${sort}`)).toEqual({
        found,
        pages: pagesForAll,
        isRepeated: false,
      });
      expect(await walk(org, `${path}?${none}&sort=${sort}`)).toMatchObject({ found: 0, pages: pagesForAll });
      // A range is found at once, wherever it is.
      const moment = (second: number) => new Date(start + second * 1000).toISOString();
      const range = (second: number) =>
        `from=${moment(second)}&to=${moment(second + 40)}&limit=100&sort=${sort}`;
      for (const second of [2, 70_000, ROWS - 4_000])
        expect(await walk(org, `${path}?${range(second)}`)).toMatchObject({ found: 40, pages: 1 });
      expect(await walk(org, `${path}?${range(2)}&${rare}`)).toMatchObject({ found: 1, pages: 1 });
    }
  });
});

test("a page of a log goes on after the last row of the one before, in either order", async () => {
  const org = await newSpender();
  for (const id of ["r0", "r1", "r2", "r3", "r4"]) expect((await org.run({ id })).status).toBe(201);
  for (const sort of ["-created_at", "created_at"]) {
    const walked = await walk(org, `events?type=run.recorded&limit=2&sort=${sort}`);
    expect(walked).toEqual({ found: 5, pages: 3, isRepeated: false });
  }
});

test("a list of a webhook's deliveries with a rare filter scans only that webhook's deliveries", async () => {
  const org = await newSpender();
  const make = async () =>
    (await org.send("POST", "webhooks", { url: "http://127.0.0.1:9/a", events: ["budget.*"] })).body
      .id as string;
  const [busy, quiet] = [await make(), await make()];
  const fill = `${COUNTING} INSERT INTO webhook_deliveries
      (id, subscription_id, event_id, event_type, status, attempts, next_attempt_at, attempt_log, created_at)
    SELECT printf('dlv_%026d', n), IIF(n IN (3, 7), ?3, ?2), printf('evt_%026d', 0), 'key.revoked', 'succeeded', 1, NULL, '[]', 0 FROM counting`;
  await rowsOf(org.id, fill, ROWS, busy, quiet);
  const path = (id: string, status: string) => `webhooks/${id}/deliveries?status=${status}`;
  expect(await walk(org, path(busy, "failed"))).toMatchObject({ found: 0, pages: Math.ceil(ROWS / SEEN) });
  expect(await walk(org, path(quiet, "succeeded"))).toMatchObject({ found: 2, pages: 1 });
});

describe("a list of approvals with a rare filter", () => {
  test.each(["-requested_at", "requested_at"])(
    "looks at so many rows for a page, says where to go on, and finds all (%s)",
    async (sort) => {
      const org = await newSpender();
      const fill = `${COUNTING} INSERT INTO approvals
          (id, rule_id, digest, status, reason, attempted, attempt, requested_by, requested_at, expires_at)
        SELECT printf('apr_%026d', n), IIF(n IN (5, 99999), 'rare', 'often'), 'd', 'used', 'r', 'm',
          ?3, 'k', ?2 + n / 3, ?2 FROM counting`;
      const attempt = showAttempt({ model: "m", usage: { input_tokens: 1, output_tokens: 1 } }, 1n);
      await rowsOf(org.id, fill, ROWS, Date.now() - ROWS * 1000, JSON.stringify(attempt));
      const pagesForAll = Math.ceil(ROWS / SEEN);
      const pages = (filter: string) => walk(org, `approvals?${filter}&sort=${sort}`);
      expect(await pages("rule_id=rare")).toEqual({ found: 2, pages: pagesForAll, isRepeated: false });
      expect(await pages("status=denied")).toMatchObject({ found: 0, pages: pagesForAll });
    },
  );
});

test("a list of limits finds those of a customer at once, however many there are", async () => {
  const org = await newSpender();
  for (const customer_id of ["often", "rare"]) {
    const made = await org.send("POST", "customer-limits", { customer_id, limit_usd: "1", period: "month" });
    expect(made.status).toBe(201);
  }
  const fill = `${COUNTING} INSERT INTO meters (id, kind, scope_kind, scope_id, amount, period, time_zone, mode, since, extra)
    SELECT printf('clm_%026d', n), kind, scope_kind, scope_id, amount, period, time_zone, mode, since + n, extra
    FROM counting, meters WHERE scope_id = 'often'`;
  await rowsOf(org.id, fill, ROWS);
  const limits = (filter: string) => walk(org, `customer-limits?${filter}`);
  expect(await limits("customer_id=rare&period=month")).toMatchObject({ found: 1, pages: 1 });
  expect(await limits("period=year")).toMatchObject({ found: 0, pages: Math.ceil((ROWS + 2) / SEEN) });
});
