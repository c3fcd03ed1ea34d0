import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { call, env } from "../support/worker.ts";

const [ONE_MIB, EIGHT_MIB] = [1_048_576, 8 * 1_048_576];

/** A body of exactly this many bytes, mostly the metadata of one run. */
function filled(bytes: number, unit: string, wrap: (run: string) => string = (run) => run): string {
  const text = wrap(JSON.stringify({ ...aRun({ id: "large", cost_usd: "0.01", metadata: { note: "@" } }) }));
  const free = bytes - new TextEncoder().encode(text).byteLength + 1;
  const size = new TextEncoder().encode(unit).byteLength;
  return text.replace("@", () => unit.repeat(Math.floor(free / size)) + "x".repeat(free % size));
}

const asBatch = (run: string) => `{"runs":[${run}]}`;
const noteOf = (body: string) => (JSON.parse(body) as { metadata: { note: string } }).metadata.note;

describe("metadata may be as long as the body of its call", () => {
  test.for([["x"], ["😀"], [String.raw`\"`], [String.raw`\u0001`]])("alone, of %s", async ([unit = ""]) => {
    const { key } = await newSpender();
    const body = filled(ONE_MIB, unit);
    const headers = { "idempotency-key": "the-same" };
    const made = await call("POST", "/v1/runs", { key, body, headers });
    expect([made.status, made.body.metadata?.note === noteOf(body)]).toEqual([201, true]);
    const again = await call("POST", "/v1/runs", { key, body, headers });
    expect([again.headers.get("idempotent-replayed"), again.text === made.text]).toEqual(["true", true]);
    const duplicate = await call("POST", "/v1/runs", { key, body });
    expect([duplicate.status, duplicate.text === made.text]).toEqual([200, true]);
    expect((await call("GET", "/v1/runs/large", { key })).text === made.text).toBe(true);
    const other = body.replace(/x?"\}\}$/, 'y"}}');
    expect((await call("POST", "/v1/runs", { key, body: other })).status).toBe(409);
    expect((await call("POST", "/v1/runs", { key, body: `${body} ` })).status).toBe(413);
  });

  test("in bulk", async () => {
    const org = await newSpender();
    const body = filled(EIGHT_MIB, "😀", asBatch);
    const send = () => call("POST", "/v1/runs/bulk", { key: org.key, body });
    expect((await send()).body).toMatchObject({ accepted: 1 });
    expect((await send()).body).toMatchObject({ duplicates: 1 });
    const { note } = (JSON.parse(body) as { runs: [{ metadata: { note: string } }] }).runs[0].metadata;
    const read = await call("GET", "/v1/runs/large", { key: org.key });
    expect([read.status, read.body.metadata.note === note]).toEqual([200, true]);
    const page = await call("GET", "/v1/runs?limit=100", { key: org.key });
    expect([page.body.data.length, page.body.data[0].metadata.note === note, page.body.next_cursor]).toEqual([
      1,
      true,
      null,
    ]);
  });

  test.for([["1e9"], ["1e400"], ["12345678901234567890"], ['""'], ["{}"]])(
    "as a list of %s",
    async ([item = ""]) => {
      const { key } = await newSpender();
      const list = Array.from({ length: Math.floor(1_000_000 / (item.length + 1)) }, () => item).join(",");
      const body = JSON.stringify(aRun({ id: "large", metadata: { list: 0 } })).replace(
        ":0}",
        () => `:[${list}]}`,
      );
      const made = await call("POST", "/v1/runs", { key, body, headers: { "idempotency-key": "the-same" } });
      expect([made.status, made.text.includes(list)]).toEqual([201, true]);
      expect((await call("GET", "/v1/runs/large", { key })).text.includes(list)).toBe(true);
    },
  );
});

/** Runs of about half a MiB each, and small ones between them. */
async function recordLarge(org: Spender, count: number): Promise<string[]> {
  const note = "é".repeat(250_000);
  const ids: string[] = [];
  for (let at = 0; at < count; at += 12) {
    const runs = Array.from({ length: Math.min(12, count - at) }, (_, i) => ({
      id: `r${String(at + i).padStart(3, "0")}`,
      metadata: (at + i) % 5 === 4 ? { small: true } : { note: `${at + i}${note}` },
    }));
    const answer = await org.bulk(runs.map((run) => aRun({ ...run, cost_usd: "0.01" })));
    expect(answer.body).toMatchObject({ accepted: runs.length });
    ids.push(...runs.map(({ id }) => id));
  }
  return ids;
}

async function pagesOf(org: Spender, query: string, beforeEach?: (page: number) => Promise<unknown>) {
  const pages: { ids: string[]; characters: number }[] = [];
  let cursor: string | null = "";
  while (cursor !== null && pages.length < 200) {
    await beforeEach?.(pages.length);
    const path = `/v1/runs?${query}${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const { status, body, text } = await call("GET", path, { key: org.key });
    expect(status).toBe(200);
    pages.push({ ids: body.data.map((run: { id: string }) => run.id), characters: text.length });
    cursor = body.next_cursor;
  }
  return pages;
}

describe("a page of runs is bounded by its size", () => {
  let org: Spender;
  let ids: string[];
  beforeAll(async () => {
    org = await newSpender();
    ids = await recordLarge(org, 24);
  });

  test("and the next page continues where it ended, in any order", async () => {
    const expected = {
      "limit=100&sort=started_at": { order: ids, pages: 2 },
      "limit=100&sort=-started_at": { order: ids.toReversed(), pages: 2 },
      "limit=100&sort=cost_usd": { order: ids, pages: 2 },
      "limit=1&sort=started_at": { order: ids, pages: 24 },
    };
    for (const [query, { order, pages: count }] of Object.entries(expected)) {
      const pages = await pagesOf(org, query);
      expect([query, pages.flatMap((page) => page.ids)]).toEqual([query, order]);
      expect([query, pages.length]).toEqual([query, count]);
      for (const { ids: onPage, characters } of pages) {
        expect(onPage.length).toBeGreaterThan(0);
        expect(characters).toBeLessThan(4_194_304 + 100_000);
      }
    }
  });

  test("and stays stable while runs are recorded", async () => {
    const pages = await pagesOf(org, "limit=100&sort=-started_at", (page) =>
      org.run({
        id: `young${page}`,
        started_at: "2026-11-15T03:00:00Z",
        metadata: { a: "x".repeat(100_000) },
      }),
    );
    const seen = pages.flatMap((page) => page.ids).filter((id) => !id.startsWith("young"));
    expect(seen).toEqual(ids.toReversed());
  });
});

test("retention deletes long metadata with its run, which is still recognized if it is sent again", async () => {
  const org = await newSpender();
  const body = filled(ONE_MIB, "é");
  expect((await call("POST", "/v1/runs", { key: org.key, body })).status).toBe(201);
  const parts = () =>
    runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) =>
      storage.sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM run_metadata").one(),
    );
  expect((await parts()).n).toBeGreaterThan(0);
  const policy = { runs_days: 3, audit_days: 90, deliveries_days: 7, legal_hold: false };
  await org.send("PUT", "retention-policy", policy);
  await org.advance(5 * 86_400);
  expect((await call("GET", "/v1/runs/large", { key: org.key })).status).toBe(404);
  expect(await parts()).toEqual({ n: 0 });
  expect((await call("POST", "/v1/runs", { key: org.key, body })).status).toBe(200);
  const other = body.replace(/x?"\}\}$/, 'y"}}');
  expect((await call("POST", "/v1/runs", { key: org.key, body: other })).status).toBe(409);
});
