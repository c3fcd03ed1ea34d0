import { beforeAll, describe, expect, test, vi } from "vitest";
import { failing, newSubscriber, receiver } from "../support/receivers.ts";
import type { OrgHour } from "../../src/contract/resources/admin-overview.ts";
import { type OrgCallRow, shardOf } from "../../src/contract/metrics.ts";
import { overviewPage } from "../../src/platform/overview.ts";
import { call, env, newOrg, operatorKey, serve, type TestOrg } from "../support/worker.ts";
import { PATIENT } from "../support/patience.ts";

interface OverviewRow {
  readonly org_id: string;
  readonly month_to_date_usd: string;
  readonly as_of: string | null;
  readonly [field: string]: unknown;
}

const overview = (query = "") => call("GET", `/v1/admin/overview${query}`, { key: operatorKey() });

/** Every entry, page by page. */
async function all(query: string, limit = 200): Promise<OverviewRow[]> {
  const entries: OverviewRow[] = [];
  for (let cursor = ""; ;) {
    const page = await overview(`?limit=${limit}&${query}${cursor}`);
    expect(page.status).toBe(200);
    entries.push(...page.body.data);
    if (page.body.next_cursor === null) return entries;
    cursor = `&cursor=${page.body.next_cursor}`;
  }
}

/** The same in about eight pages, however many orgs other files have made. */
async function inPages(query: string): Promise<OverviewRow[]> {
  const { length } = await all("sort=name");
  return all(query, Math.min(200, Math.max(3, Math.ceil(length / 8))));
}

async function entryOf(org: TestOrg): Promise<OverviewRow | undefined> {
  return (await all("sort=-last_call_at")).find(({ org_id }) => org_id === org.id);
}

async function spend(org: TestOrg, cost_usd: string): Promise<void> {
  const usage = { input_tokens: 600, output_tokens: 400 };
  const body = { started_at: new Date().toISOString(), model: "m", usage, cost_usd };
  expect((await call("POST", "/v1/runs", { key: org.ownerKey, body })).status).toBe(201);
}

describe("the operator's overview", () => {
  let orgs: TestOrg[];
  const amounts = ["3", "12000000.000000001", "12000000.000000002", "0.5"];
  beforeAll(async () => {
    orgs = await Promise.all(amounts.map(() => newOrg()));
    await Promise.all(orgs.map((org, index) => spend(org, amounts[index] ?? "0")));
    await vi.waitFor(
      async () => {
        const entries = new Map((await all("sort=-last_call_at")).map((entry) => [entry.org_id, entry]));
        for (const { id } of orgs) expect(entries.get(id)?.month_to_date_usd).not.toMatch(/^0(\.0+)?$/);
      },
      { ...PATIENT, interval: 500 },
    );
  });

  test("shows what an org spent this month, its plan and its last call", async () => {
    const entry = await entryOf(orgs[0] as TestOrg);
    expect(entry).toMatchObject({ name: "Acme", status: "active", runs_used: 1, tokens_used: 1000 });
    expect(Number(entry?.month_to_date_usd)).toBe(3);
    expect(Date.parse(String(entry?.["last_call_at"]))).toBeGreaterThan(Date.now() - 600_000);
    expect(Date.parse(String(entry?.as_of))).toBeGreaterThan(Date.now() - 600_000);
  });

  test("sorts by spend exactly, also in pages", async () => {
    const ids = new Set(orgs.map(({ id }) => id));
    const order = (entries: OverviewRow[]) => entries.map(({ org_id }) => org_id).filter((id) => ids.has(id));
    const expected = [2, 1, 0, 3].map((index) => orgs[index]?.id);
    expect(order(await all("sort=-month_to_date_usd"))).toEqual(expected);
    expect(order(await all("sort=month_to_date_usd"))).toEqual(expected.toReversed());
    const paged = await inPages("sort=-month_to_date_usd");
    expect(order(paged)).toEqual(expected);
    expect(new Set(paged.map(({ org_id }) => org_id)).size).toBe(paged.length);
  });

  test.each([
    "plan_use",
    "last_call_at",
    "failing_webhooks",
    "deprecated_callers",
    "open_support_grants",
    "name",
  ])("pages by %s list every org once", async (field) => {
    // Other files' orgs may come, change and move meanwhile.
    const own = new Set(orgs.map(({ id }) => id));
    const listed = (await inPages(`sort=-${field}`)).map(({ org_id }) => org_id).filter((id) => own.has(id));
    expect(listed.toSorted()).toEqual([...own].toSorted());
  });

  test("is for operators", async () => {
    expect((await call("GET", "/v1/admin/overview", { key: orgs[0]?.ownerKey ?? "" })).status).toBe(403);
    expect((await call("GET", "/v1/admin/overview")).status).toBe(401);
    expect((await overview("?sort=secret")).status).toBe(422);
  });
});

test("failing webhooks, deprecated callers and open support grants are counted", async () => {
  const org = await newSubscriber();
  await org.subscribe(receiver(failing(100)), ["key.created"]);
  await org.mint("viewer");
  const grant = { scope: "read_only", reason: "look", expires_in_seconds: 3600 };
  const opened = await call("POST", `/v1/orgs/${org.id}/support-grants`, { key: org.ownerKey, body: grant });
  expect([opened.status, opened.text]).toEqual([201, opened.text]);
  await call("GET", `/v1/forecast?org_id=${org.id}`, { key: org.ownerKey });
  await org.settle();
  await vi.waitFor(
    async () =>
      expect(await entryOf(org)).toMatchObject({
        failing_webhooks: 1,
        deprecated_callers: 1,
        open_support_grants: 1,
      }),
    { ...PATIENT, interval: 1000 },
  );
  // Also for whoever only watches the metrics, as long as it is tried again.
  await vi.waitFor(async () => expect(await failingHooks()).toBeGreaterThanOrEqual(1), {
    ...PATIENT,
    interval: 500,
  });
});

describe("busy orgs", () => {
  test("a hammered org is found: it is before quiet ones in the overview, with what it was refused", async () => {
    const [hammered, quiet] = [await newOrg(), await newOrg()];
    const decide = (key: string) =>
      call("POST", "/v1/edge/decision", { key, body: { estimate: { cost_usd: "2" } } });
    await call("POST", `/v1/orgs/${hammered.id}/budgets`, {
      key: hammered.ownerKey,
      body: { scope_kind: "org", limit_usd: "1", period: "day" },
    });
    await decide(quiet.ownerKey);
    const burst = async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => decide(hammered.ownerKey)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([402]));
    };
    const sum = (of: readonly number[]) => of.reduce((total, one) => total + one, 0);
    const hourOf = (listed: Awaited<ReturnType<typeof inPages>>) =>
      listed.find((one) => one.org_id === hammered.id)?.["last_hour"] as
        | { calls: number[]; refusals: number[]; slowest_wait_ms: number }
        | undefined;
    // Isolates and shards count this in memory: what they lose when they end is missing.
    await expect
      .poll(async () => {
        await burst();
        return sum(hourOf(await inPages("sort=-calls_per_minute"))?.refusals ?? []);
      })
      .toBeGreaterThanOrEqual(500);
    const { body } = await overview("?sort=-calls_per_minute&limit=1");
    const listed = await inPages("sort=-calls_per_minute");
    const [own, other] = [hammered, quiet].map(({ id }) => listed.findIndex((one) => one.org_id === id));
    expect([own === -1, (own ?? -1) < (other ?? -1)]).toEqual([false, true]);
    // On a slow machine, the first bursts are more than a minute ago.
    const found = listed.find((one) => one.org_id === hammered.id);
    expect(found).toMatchObject({ org_id: hammered.id });
    const top = (
      body.svc_org_calls_top as { org_id: string; calls: number; refusals: number; cpu_ms: number }[]
    ).find((one) => one.org_id === hammered.id);
    expect(top).toMatchObject({ org_id: hammered.id, errors: 0 });
    expect([top?.calls ?? 0, top?.refusals ?? 0, top?.cpu_ms ?? 0].every((figure) => figure > 20)).toBe(true);
    expect(body.svc_org_calls_top.length).toBeLessThanOrEqual(10);
    // An hour ago is less than that, even here.
    const hour = hourOf(listed);
    expect([hour?.calls.length, sum(hour?.calls ?? []) >= 500]).toEqual([60, true]);
    expect(hour?.slowest_wait_ms).toBeGreaterThan(0);
    // No name of an org is a label of a metric.
    const metrics = await (await serve("http://sluice.test/metrics")).text();
    expect(metrics.includes(hammered.id)).toBe(false);
  });

  test.each(["calls_per_minute", "refusals", "errors", "spend", "slowest"])(
    "pages by %s list every org once",
    async (sort) => {
      const own = new Set((await Promise.all([newOrg(), newOrg(), newOrg()])).map(({ id }) => id));
      for (const order of [sort, `-${sort}`]) {
        const listed = (await inPages(`sort=${order}`)).map(({ org_id }) => org_id);
        expect(listed.filter((id) => own.has(id)).toSorted()).toEqual([...own].toSorted());
      }
    },
  );

  test("are none that an operator named and that do not exist", async () => {
    for (let nth = 0; nth < 300; nth += 1) {
      expect((await call("GET", "/v1/admin/orgs/org_none", { key: operatorKey() })).status).toBe(404);
    }
    const { status, body } = await overview("?limit=1");
    expect([status, body.svc_org_calls_top.map(({ org_id }: OverviewRow) => org_id)]).toEqual([
      200,
      expect.not.arrayContaining(["org_none"]),
    ]);
  });

  test("are none that a key named and that do not exist, and the overview still answers", async () => {
    const viewer = await (await newOrg()).mint("viewer");
    for (const id of ["x", "org_none", "x", "__proto__"]) {
      expect((await call("GET", `/v1/orgs/${id}/budgets`, { key: viewer })).status).toBe(404);
    }
    const { status, body } = await overview("?limit=10");
    expect([status, body.error]).toEqual([200, undefined]);
  });

  test("have the calls of their own keys alone: not those of another org, of strangers or of the operator", async () => {
    const [own, other] = await Promise.all([newOrg(), newOrg()]);
    const viewer = await own.mint("viewer");
    for (let nth = 0; nth < 5; nth += 1) {
      expect((await call("GET", `/v1/orgs/${other.id}/budgets`, { key: viewer })).status).toBe(404);
      expect((await call("GET", `/v1/orgs/${other.id}/budgets`, { key: "none" })).status).toBe(401);
    }
    expect((await call("GET", `/v1/orgs/${other.id}`, { key: operatorKey() })).status).toBe(200);
    const listed = await inPages("sort=name");
    const sum = (of: readonly number[]) => of.reduce((total, one) => total + one, 0);
    const [ofOwn, ofOther] = [own, other].map(({ id }) => {
      const hour = listed.find(({ org_id }) => org_id === id)?.["last_hour"] as OrgHour | null;
      return hour === null ? null : [sum(hour.calls), sum(hour.refusals)];
    });
    // Its owner minted the key.
    expect(ofOwn).toEqual([6, 5]);
    expect(ofOther).toBe(null);
  });

  test("are first by what the overview is sorted by: calls, refusals, errors or the slowest", async () => {
    const [called, refused, failed, slow] = await Promise.all([newOrg(), newOrg(), newOrg(), newOrg()]);
    const busy = [
      [called.id, 1_000_001, 1, 1, 0, 1],
      [refused.id, 1_000_000, 1_000_000, 0, 0, 1],
      [failed.id, 1_000_000, 0, 1_000_000, 0, 1],
      [slow.id, 1_000_000, 0, 0, 0, 1_000_000],
    ] as const;
    const firstBy = async (field: string) => {
      const sort = { field, descending: true };
      const query = { limit: 200, sort, after: null, filters: {}, scope: "" };
      const [first] = await overviewPage(env.DB, query, Date.now(), busy);
      return first?.entry.org_id;
    };
    expect(await firstBy("calls_per_minute")).toBe(called.id);
    expect(await firstBy("refusals")).toBe(refused.id);
    expect(await firstBy("errors")).toBe(failed.id);
    expect(await firstBy("slowest")).toBe(slow.id);
  });

  test("are sorted lowest first, and with a minus highest first", async () => {
    const [some, more] = await Promise.all([newOrg(), newOrg()]);
    const rows = [some, more].map(({ id }, at): OrgCallRow => {
      const figure = 1_000_000 * (at + 1);
      return [id, figure, figure, figure, 0, figure];
    });
    await env.COUNTERS.getByName(shardOf(some.id)).add(crypto.randomUUID(), 0, [], rows);
    for (const sort of ["calls_per_minute", "refusals", "errors", "slowest"]) {
      const inOrder = async (order: string) => {
        const ids = (await all(`sort=${order}`)).map(({ org_id }) => org_id);
        return ids.filter((id) => id === some.id || id === more.id);
      };
      expect([sort, await inOrder(sort)]).toEqual([sort, [some.id, more.id]]);
      expect([sort, await inOrder(`-${sort}`)]).toEqual([sort, [more.id, some.id]]);
    }
  });

  test("by spend are sorted as by what was spent this month", async () => {
    const idsOf = async (sort: string) =>
      (await overview(`?sort=${sort}&limit=5`)).body.data.map(({ org_id }: OverviewRow) => org_id);
    const [most, least] = [await idsOf("-spend"), await idsOf("spend")];
    expect(most).toEqual(await idsOf("-month_to_date_usd"));
    expect(least).toEqual(await idsOf("month_to_date_usd"));
    expect(most).not.toEqual(least);
  });
});

async function failingHooks(): Promise<number> {
  const text = await (await serve("http://sluice.test/metrics")).text();
  return Number(/^svc_webhook_failing (\d+)$/m.exec(text)?.[1]);
}
