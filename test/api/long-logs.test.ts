import { describe, expect, test } from "vitest";
import { newSpender, type Spender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { call } from "../support/worker.ts";

/** More than one page scans. */
const ROWS = 120_000;
const SEEN = 50_000;

const COUNTING = `WITH RECURSIVE counting (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counting WHERE n < ?1)`;

/** Rows one second apart, the last of them now. The fifth has the rare value. */
const FILLS: Readonly<Record<string, string>> = {
  audit: `${COUNTING} INSERT INTO audit (seq, id, at, action, actor_kind, actor_id, on_behalf_of, target, outcome, trace, address, detail, hash)
    SELECT n + 1000, printf('aud_%026d', n), ?2 + n * 1000, 'key.minted', 'key', 'k', NULL, IIF(n = 5, 'rare', 't'), 'done', 't', NULL, '{}', 'h'
    FROM counting`,
  events: `${COUNTING} INSERT INTO events (seq, id, type, created_at, data)
    SELECT n + 1000, printf('evt_%026d', n), IIF(n = 5, 'quota.low', 'key.revoked'), ?2 + n * 1000, '{}' FROM counting`,
};

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
  ["audit", "audit-log", "target=rare", "target=none"],
  ["events", "events", "type=quota.low", "type=run.over_limit"],
])("a list of %s with a rare filter", (table, path, rare, none) => {
  test("scans a bounded number of rows per page, says where to continue, and finds everything in either order", async () => {
    const org = await newSpender();
    const fill = FILLS[table] ?? "";
    const start = Date.now() - ROWS * 1000;
    await rowsOf(org.id, `DELETE FROM ${table}`);
    await rowsOf(org.id, fill, ROWS, start);
    for (const sort of ["-created_at", "created_at"]) {
      const pagesForAll = Math.ceil(ROWS / SEEN);
      expect(await walk(org, `${path}?${rare}&sort=${sort}`)).toEqual({
        found: 1,
        pages: pagesForAll,
        isRepeated: false,
      });
      expect(await walk(org, `${path}?${none}&sort=${sort}`)).toMatchObject({ found: 0, pages: pagesForAll });
      // A range is found at once, wherever it is.
      const moment = (second: number) => new Date(start + second * 1000).toISOString();
      const range = `from=${moment(2)}&to=${moment(42)}&limit=100&sort=${sort}`;
      expect(await walk(org, `${path}?${range}`)).toMatchObject({ found: 40, pages: 1 });
      expect(await walk(org, `${path}?${range}&${rare}`)).toMatchObject({ found: 1, pages: 1 });
    }
  });
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
