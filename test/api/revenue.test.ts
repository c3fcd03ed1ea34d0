import { describe, expect, test } from "vitest";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { call } from "../support/worker.ts";

const november = "from=2026-11-01&to=2026-12-01";

/** An org whose clock is past November, when its customers spent. */
async function earner(): Promise<Spender> {
  const org = await newSpender();
  const days = Math.ceil((Date.parse("2026-12-05") - Date.now()) / 86_400_000);
  if (days > 0) await org.advance(days * 86_400);
  await org.bulk([
    aRun({ started_at: "2026-11-03T02:00:00Z", customer_id: "flat", cost_usd: "400" }),
    aRun({ started_at: "2026-11-04T02:00:00Z", customer_id: "plus", cost_usd: "10" }),
    aRun({ started_at: "2026-11-04T02:00:00Z", customer_id: "none", cost_usd: "1" }),
  ]);
  await org.send("PUT", "customers/flat", { name: "Flat Ltd", revenue: { usd_per_month: "300" } });
  await org.send("PUT", "customers/plus", { revenue: { markup: "0.50" } });
  return org;
}

async function keyOf(org: Spender, role: string, scopes?: readonly string[]): Promise<string> {
  const { body } = await org.send("POST", "keys", { name: role, role, ...(scopes && { scopes }) });
  return body.key as string;
}

const get = (org: Spender, path: string, key = org.key) => call("GET", `/v1/orgs/${org.id}/${path}`, { key });

describe("what a customer pays", () => {
  test("is set, read, listed and taken back, and audited", async () => {
    const org = await earner();
    const read = await get(org, `customers/flat?${november}`);
    expect(read.body).toMatchObject({
      name: "Flat Ltd",
      revenue: { usd_per_month: "300.00", markup: null },
      revenue_usd: "300.00",
      margin_usd: "-100.00",
    });
    const plus = await get(org, `customers/plus?${november}`);
    expect(plus.body).toMatchObject({
      name: null,
      revenue: { usd_per_month: null, markup: "0.5" },
      revenue_usd: "15.00",
      margin_usd: "5.00",
    });
    const half = await get(org, "customers/flat?from=2026-11-01&to=2026-11-16");
    expect(half.body).toMatchObject({ revenue_usd: "150.00", margin_usd: "-250.00" });
    const listed = await get(org, `customers?${november}`);
    const rows = listed.body.data as {
      customer_id: string;
      revenue_usd: string | null;
      margin_usd: string | null;
    }[];
    expect(rows.map((row) => [row.customer_id, row.revenue_usd, row.margin_usd])).toEqual([
      ["flat", "300.00", "-100.00"],
      ["none", null, null],
      ["plus", "15.00", "5.00"],
    ]);
    const cleared = await org.send("PUT", "customers/flat", {});
    expect(cleared.body).toMatchObject({ name: null, revenue: null, revenue_usd: null, margin_usd: null });
    expect(await rowsOf(org.id, "SELECT customer_id FROM customers")).toEqual([{ customer_id: "plus" }]);
    expect((await get(org, "audit-log")).text).toContain("customer.set");
  });

  test("may be nothing, which is not the same as unknown", async () => {
    const org = await earner();
    await org.send("PUT", "customers/none", { revenue: { usd_per_month: "0" } });
    const { body } = await get(org, `customers/none?${november}`);
    expect([body.revenue_usd, body.margin_usd]).toEqual(["0.00", "-1.00"]);
  });

  test("of a customer without runs is there, too", async () => {
    const org = await earner();
    expect((await get(org, "customers/silent")).status).toBe(404);
    await org.send("PUT", "customers/silent", { revenue: { usd_per_month: "60", markup: "1" } });
    const { body } = await get(org, `customers/silent?${november}`);
    expect([body.revenue_usd, body.margin_usd]).toEqual(["60.00", "60.00"]);
    const report = await get(org, `usage/report?group_by=customer_id&${november}`);
    expect(report.body.totals).toMatchObject({
      revenue_usd: "375.00",
      margin_usd: "-35.00",
      cost_usd: "411.00",
    });
  });

  test("is in reports by customer, as JSON and as CSV, and in no others", async () => {
    const org = await earner();
    const report = await get(org, `usage/report?group_by=customer_id&${november}`);
    const rows = report.body.data as { customer_id: string; revenue_usd: string; margin_usd: string }[];
    expect(rows.map((row) => [row.customer_id, row.revenue_usd, row.margin_usd])).toEqual([
      ["flat", "300.00", "-100.00"],
      ["plus", "15.00", "5.00"],
      ["none", null, null],
    ]);
    const byDay = await get(org, `usage/report?group_by=day,customer_id&${november}`);
    expect(byDay.body.totals).toEqual(report.body.totals);
    const csv = await get(org, `usage/report?group_by=customer_id&format=csv&${november}`);
    const [header, first, , last] = csv.text.split("\r\n");
    expect(header).toMatch(/,revenue_usd,margin_usd$/);
    expect(first).toMatch(/^flat,400\.00,.*,300\.00,-100\.00$/);
    expect(last).toMatch(/^none,1\.00,.*,,$/);
    for (const groups of ["model", "customer_id,model", "month"]) {
      const other = await get(org, `usage/report?group_by=${groups}&${november}`);
      expect([groups, other.text.includes("revenue_usd")]).toEqual([groups, false]);
    }
  });

  test("is for whoever reads for the org, and not for its customers; admins alone set it", async () => {
    const org = await earner();
    const paths = [
      `customers/flat?${november}`,
      `customers?${november}`,
      `usage/report?group_by=customer_id&${november}`,
    ];
    const readers = [
      await keyOf(org, "viewer"),
      await keyOf(org, "developer"),
      await keyOf(org, "admin", ["customers:read", "runs:read"]),
    ];
    for (const path of paths) {
      for (const key of readers) {
        const { status, text } = await get(org, path, key);
        expect([status, text.includes("margin_usd")]).toEqual([200, true]);
      }
    }
    const audit = await get(org, "audit-log", readers[0]);
    expect([audit.text.includes("customer.set"), audit.text.includes("300.00")]).toEqual([true, false]);
    const token = await org.send("POST", "customers/flat/tokens", { ttl_seconds: 60 });
    for (const path of ["/v1/customer", `/v1/customer/usage?${november}`]) {
      const own = await call("GET", path, { key: token.body.token as string });
      expect([own.status, /revenue|margin/.test(own.text)]).toEqual([200, false]);
    }
    for (const key of readers) {
      const set = await call("PUT", `/v1/orgs/${org.id}/customers/flat`, { key, body: {} });
      expect(set.status).toBe(403);
    }
    const other = await newSpender();
    const stolen = await call("PUT", `/v1/orgs/${org.id}/customers/flat`, { key: other.key, body: {} });
    expect(stolen.status).toBe(404);
    expect((await get(org, "customers/flat", other.key)).status).toBe(404);
    expect((await get(org, "customers/flat")).body.name).toBe("Flat Ltd");
  });

  test.each([
    ["revenue.usd_per_month", { revenue: { usd_per_month: "-1" } }],
    ["revenue.usd_per_month", { revenue: { usd_per_month: "1000000000" } }],
    ["revenue.usd_per_month", { revenue: { usd_per_month: "1e3" } }],
    ["revenue.usd_per_month", { revenue: { usd_per_month: 5 } }],
    ["revenue.markup", { revenue: { markup: "-0.1" } }],
    ["revenue.markup", { revenue: { markup: "1000.000000001" } }],
    ["revenue.markup", { revenue: { markup: "1000000000" } }],
    ["revenue.markup", { revenue: { markup: "0.0000000001" } }],
    ["revenue.price", { revenue: { price: "1" } }],
    ["name", { name: "" }],
    ["name", { name: "n".repeat(201) }],
    ["other", { other: 1 }],
  ])("is refused at %s", async (field, body) => {
    const org = await newSpender();
    const refused = await org.send("PUT", "customers/c", body);
    expect([refused.status, refused.body.error?.details.fields[0].field]).toEqual([422, field]);
    expect((await org.send("GET", "customers/c")).status).toBe(404);
  });

  test("of all customers together is not set", async () => {
    const org = await newSpender();
    expect((await org.send("PUT", "customers/*", { name: "n" })).status).toBe(404);
  });

  test("at its highest is an exact amount", async () => {
    const org = await newSpender();
    const started_at = new Date().toISOString();
    await org.run({ started_at, customer_id: "c", cost_usd: "999999999.999999999" });
    await org.send("PUT", "customers/c", { revenue: { markup: "1000" } });
    const { body } = await org.send("GET", "customers/c");
    expect([body.revenue_usd, body.margin_usd]).toEqual(["1000999999999.999998999", "999999999999.999999"]);
  });

  test("has a version that runs do not change, and two people cannot undo each other", async () => {
    const org = await earner();
    const before = await get(org, "customers/flat");
    const etag = before.headers.get("etag") ?? "";
    await org.run({ customer_id: "flat", cost_usd: "2" });
    expect((await get(org, "customers/flat?from=2026-11-01&to=2026-11-02")).headers.get("etag")).toBe(etag);
    const put = (body: object) =>
      call("PUT", `/v1/orgs/${org.id}/customers/flat`, { key: org.key, body, headers: { "if-match": etag } });
    const first = await put({ name: "first" });
    expect([first.status, (await put({ name: "second" })).status]).toEqual([200, 409]);
    const after = await get(org, "customers/flat");
    expect([after.body.name, after.headers.get("etag")]).toEqual(["first", first.headers.get("etag")]);
    // A customer that spends has a version before anything was set.
    const unset = (await get(org, "customers/none")).headers.get("etag") ?? "";
    const set = await call("PUT", `/v1/orgs/${org.id}/customers/none`, {
      key: org.key,
      body: { name: "n" },
      headers: { "if-match": unset },
    });
    expect(set.status).toBe(200);
  });

  test("over a range that is too long or reversed is refused", async () => {
    const org = await earner();
    for (const range of ["from=2026-01-01&to=2026-11-01", "from=2026-11-02&to=2026-11-01", "from=x"]) {
      expect((await get(org, `customers/flat?${range}`)).status).toBe(422);
      expect((await get(org, `customers?${range}`)).status).toBe(422);
    }
  });
});
