import { describe, expect, test } from "vitest";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { call, newOrg } from "../support/worker.ts";

const DAY = "2026-11-10";
const at = (time: string, day = DAY) => `${day}T${time}Z`;
const RANGE = "from=2026-11-01&to=2026-12-01";

const report = (org: Spender, query: string) => org.send("GET", `usage/report?${RANGE}&${query}`);
const ROW = { cost_usd: "1.00", runs: 1, tokens: 15, input_tokens: 10, output_tokens: 5 };

async function spender(): Promise<Spender> {
  const org = await newSpender();
  await org.bulk([
    aRun({
      started_at: at("00:00:00"),
      customer_id: "c1",
      model: "m1",
      tags: { team: "red" },
      user_id: "u1",
    }),
    aRun({ started_at: at("23:59:59.999"), customer_id: "c1", model: "m2", cost_usd: "2" }),
    aRun({ started_at: at("00:00:00", "2026-11-11"), customer_id: "c2", model: "m1", cost_usd: "4" }),
    aRun({
      started_at: at("12:00:00", "2026-11-16"),
      model: "m1",
      cost_usd: "0.000000001",
      usage: { input_tokens: 10, output_tokens: 5, cache_read_tokens: 4, reasoning_tokens: 2 },
    }),
    aRun({ started_at: "2026-10-31T23:59:59.999Z", customer_id: "c1" }),
    aRun({ started_at: "2026-12-01T00:00:00Z", customer_id: "c1" }),
  ]);
  return org;
}

describe("a report of usage", () => {
  test("adds up each group exactly, runs without a name included, most expensive first", async () => {
    const { status, body } = await report(await spender(), "group_by=customer_id");
    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      { ...ROW, customer_id: "c2", cost_usd: "4.00" },
      {
        ...ROW,
        customer_id: "c1",
        cost_usd: "3.00",
        runs: 2,
        tokens: 30,
        input_tokens: 20,
        output_tokens: 10,
      },
      { ...ROW, customer_id: null, cost_usd: "0.000000001", cache_read_tokens: 4, reasoning_tokens: 2 },
    ]);
    expect(body).toMatchObject({
      from: "2026-11-01T00:00:00.000Z",
      to: "2026-12-01T00:00:00.000Z",
      timezone: "UTC",
      group_by: ["customer_id"],
      deleted_before: null,
      includes_deleted: false,
      groups: 3,
      totals: { cost_usd: "7.000000001", runs: 4, tokens: 60 },
    });
  });

  test("counts days, weeks and months in the time zone that is asked for", async () => {
    const org = await spender();
    const days = async (query: string) => {
      const { body } = await report(org, query);
      return body.data.map((row: Record<string, unknown>) => [row["day"] ?? row["week"], row["runs"]]);
    };
    expect(await days("group_by=day")).toEqual([
      ["2026-11-10", 2],
      ["2026-11-11", 1],
      ["2026-11-16", 1],
    ]);
    expect(await days("group_by=day&timezone=Asia/Tokyo")).toEqual([
      ["2026-11-01", 1],
      ["2026-11-10", 1],
      ["2026-11-11", 2],
      ["2026-11-16", 1],
    ]);
    expect(await days("group_by=week")).toEqual([
      ["2026-11-09", 3],
      ["2026-11-16", 1],
    ]);
    const months = await report(org, "group_by=month,customer_id&sort=month");
    expect(
      months.body.data.map((row: { month: string; customer_id: string }) => [row.month, row.customer_id]),
    ).toEqual([
      ["2026-11", "c1"],
      ["2026-11", "c2"],
      ["2026-11", null],
    ]);
  });

  test("groups by three at once, filters, sorts and limits, and still says the totals", async () => {
    const org = await spender();
    const three = await report(org, "group_by=model,tag:team,user_id&sort=model&limit=1");
    expect(three.body).toMatchObject({ groups: 3, totals: { runs: 4 } });
    expect(three.body.data).toMatchObject([{ model: "m1", "tag:team": "red", user_id: "u1", runs: 1 }]);
    const filtered = await report(org, "group_by=model&customer_id=c1&sort=runs");
    expect(filtered.body.data.map((row: { model: string }) => row.model)).toEqual(["m1", "m2"]);
    expect(filtered.body.totals).toMatchObject({ cost_usd: "3.00", runs: 2 });
  });

  test("counts an adjustment when it is made, in the groups of its run", async () => {
    const org = await newSpender();
    await org.run({ id: "r", started_at: "2026-10-05T00:00:00Z", model: "m1", tags: { team: "red" } });
    await call("POST", "/v1/runs/r/adjustments", {
      key: org.key,
      body: { amount_usd: "-0.25", reason: "r" },
    });
    const { body } = await org.send("GET", "usage/report?group_by=model,tag:team");
    expect(body.data).toMatchObject([
      { model: "m1", "tag:team": "red", cost_usd: "-0.25", runs: 0, tokens: 0 },
    ]);
    const then = await org.send("GET", "usage/report?group_by=model&from=2026-10-01&to=2026-11-01");
    expect(then.body.data).toMatchObject([{ model: "m1", cost_usd: "1.00", runs: 1 }]);
  });

  test("groups an adjustment by what its run named, also once the run is deleted", async () => {
    const org = await newSpender();
    await org.send("PUT", "retention-policy", { runs_days: 3, audit_days: 90, deliveries_days: 7 });
    await org.run({ id: "r", model: "m1", tags: { team: "red" } });
    await org.advance(2 * 86_400);
    await call("POST", "/v1/runs/r/adjustments", {
      key: org.key,
      body: { amount_usd: "-0.25", reason: "r" },
    });
    await org.advance(2 * 86_400);
    expect((await call("GET", "/v1/runs/r", { key: org.key })).status).toBe(404);
    const { body } = await org.send("GET", "usage/report?group_by=model,tag:team");
    expect(body).toMatchObject({
      includes_deleted: false,
      data: [{ model: "m1", "tag:team": "red", cost_usd: "-0.25" }],
    });
  });

  test("as CSV has the same figures, and no name begins a formula", async () => {
    const org = await newSpender();
    await org.run({ started_at: at("01:00:00"), customer_id: '=HYPERLINK("x")', model: "a,b" });
    const answer = await report(org, "group_by=customer_id,model,user_id&format=csv");
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answer.text.split("\r\n")).toEqual([
      "customer_id,model,user_id,cost_usd,runs,tokens,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cache_write_1h_tokens,audio_input_tokens,image_input_tokens,reasoning_tokens,audio_output_tokens,image_output_tokens,saved_usd",
      `"'=HYPERLINK(""x"")","a,b",,1.00,1,15,10,5,0,0,0,0,0,0,0,0,0.00`,
      "",
    ]);
  });

  test.each([
    ["group_by", "group_by="],
    ["group_by", "group_by=color"],
    ["group_by", "group_by=day,day"],
    ["group_by", "group_by=day,model,user_id,key_id"],
    ["group_by", "group_by=tag:"],
    ["group_by", "group_by=tag:Team"],
    ["group_by", "group_by=tag:nobody-has-it"],
    ["group_by", "sort=runs"],
    ["sort", "group_by=day&sort=model"],
    ["limit", "group_by=day&limit=0"],
    ["limit", "group_by=day&limit=50001"],
    ["format", "group_by=day&format=xml"],
    ["timezone", "group_by=day&timezone=Mars/Base"],
    ["to", "group_by=day&from=2026-11-01&to=2026-11-01"],
    ["to", "group_by=day&from=2025-01-01&to=2026-02-06"],
    ["color", "group_by=day&color=red"],
  ])("is refused at %s for %s", async (field, query) => {
    const org = await newOrg();
    const { status, body } = await call("GET", `/v1/orgs/${org.id}/usage/report?${query}`, {
      key: org.ownerKey,
    });
    expect([status, body.error.details.fields?.[0].field]).toEqual([422, field]);
  });

  test("covers 400 days, also where clocks change", async () => {
    const org = await newOrg();
    const query = "group_by=day&from=2025-01-01&to=2026-02-05&timezone=Europe/Berlin";
    const { status } = await call("GET", `/v1/orgs/${org.id}/usage/report?${query}`, { key: org.ownerKey });
    expect(status).toBe(200);
  });

  test("is for viewers of the org with runs:read", async () => {
    const [org, other] = [await newOrg(), await newOrg()];
    const path = `/v1/orgs/${org.id}/usage/report?group_by=day`;
    const read = async (key: string) => (await call("GET", path, { key })).status;
    expect(await read(await org.mint("viewer"))).toBe(200);
    expect(await read(await org.mint("viewer", { scopes: ["budgets:read"] }))).toBe(403);
    expect(await read(other.ownerKey)).toBe(404);
  });
});
