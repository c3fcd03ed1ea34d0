import { beforeAll, describe, expect, test, vi } from "vitest";
import { failing, newSubscriber, receiver } from "../support/receivers.ts";
import { call, newOrg, operatorKey, serve, type TestOrg } from "../support/worker.ts";

interface Entry {
  readonly org_id: string;
  readonly month_to_date_usd: string;
  readonly as_of: string | null;
  readonly [field: string]: unknown;
}

const overview = (query = "") => call("GET", `/v1/admin/overview${query}`, { key: operatorKey() });

/** Every entry, page by page. */
async function all(query: string, limit = 200): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let cursor = ""; ;) {
    const page = await overview(`?limit=${limit}&${query}${cursor}`);
    expect(page.status).toBe(200);
    entries.push(...page.body.data);
    if (page.body.next_cursor === null) return entries;
    cursor = `&cursor=${page.body.next_cursor}`;
  }
}

async function entryOf(org: TestOrg): Promise<Entry | undefined> {
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
        for (const org of orgs) expect((await entryOf(org))?.month_to_date_usd).not.toMatch(/^0(\.0+)?$/);
      },
      { timeout: 60_000, interval: 500 },
    );
  });

  test("shows what an org spent this month, its plan and its last call", async () => {
    const entry = await entryOf(orgs[0] as TestOrg);
    expect(entry).toMatchObject({ name: "Acme", status: "active", runs_used: 1, tokens_used: 1000 });
    expect(Number(entry?.month_to_date_usd)).toBe(3);
    expect(Date.parse(String(entry?.["last_call_at"]))).toBeGreaterThan(Date.now() - 600_000);
    expect(Date.parse(String(entry?.as_of))).toBeGreaterThan(Date.now() - 600_000);
  });

  test("sorts by spend exactly, also in pages of one", async () => {
    const ids = new Set(orgs.map(({ id }) => id));
    const order = (entries: Entry[]) => entries.map(({ org_id }) => org_id).filter((id) => ids.has(id));
    const expected = [2, 1, 0, 3].map((index) => orgs[index]?.id);
    expect(order(await all("sort=-month_to_date_usd"))).toEqual(expected);
    expect(order(await all("sort=month_to_date_usd"))).toEqual(expected.toReversed());
    const paged = await all("sort=-month_to_date_usd", 3);
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
    const listed = (await all(`sort=-${field}`, 3)).map(({ org_id }) => org_id).filter((id) => own.has(id));
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
    { timeout: 120_000, interval: 1000 },
  );
  // Also for whoever only watches the metrics, as long as it is tried again.
  await vi.waitFor(async () => expect(await failingHooks()).toBeGreaterThanOrEqual(1), {
    timeout: 60_000,
    interval: 500,
  });
});

async function failingHooks(): Promise<number> {
  const text = await (await serve("http://sluice.test/metrics")).text();
  return Number(/^svc_webhook_failing (\d+)$/m.exec(text)?.[1]);
}
