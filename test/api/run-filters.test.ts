import { beforeAll, describe, expect, test } from "vitest";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { call } from "../support/worker.ts";

/** Runs by one of their tags, and runs that do not name something: listed, exported and added up. */

let org: Spender;
const DAY = "from=2026-11-15&to=2026-11-16";

beforeAll(async () => {
  org = await newSpender();
  const odd = JSON.parse('{"__proto__":"x","team":"a:b, c"}') as object;
  const sent = await org.bulk([
    aRun({ id: "search", cost_usd: "1", tags: { team: "search", stage: "live" }, customer_id: "globex" }),
    aRun({ id: "ads", cost_usd: "2", tags: { team: "ads" }, customer_id: "globex" }),
    aRun({ id: "none", cost_usd: "4", customer_id: "initech" }),
    aRun({ id: "nobody", cost_usd: "8", tags: { stage: "live" } }),
    aRun({ id: "odd", cost_usd: "16", tags: odd }),
  ]);
  expect(sent.body.accepted).toBe(5);
  const given = { amount_usd: "-0.25", reason: "a mistake" };
  expect((await call("POST", "/v1/runs/search/adjustments", { key: org.key, body: given })).status).toBe(201);
});

const CASES: readonly (readonly [query: string, ids: readonly string[]])[] = [
  ["tag=team:search", ["search"]],
  ["tag=stage:live", ["nobody", "search"]],
  ["tag=stage:live&customer_id=globex", ["search"]],
  ["tag=team:a:b,%20c", ["odd"]],
  ["tag=__proto__:x", ["odd"]],
  ["tag=constructor:x", []],
  ["tag=team:Search", []],
  ["without=customer_id", ["nobody", "odd"]],
  ["without=tag:team", ["nobody", "none"]],
  ["without=tag:team&tag=stage:live", ["nobody"]],
  ["without=customer_id&customer_id=globex", []],
  ["without=key_id", []],
];

describe("runs by a tag, or without a name", () => {
  test.each(CASES)("%s", async (query, ids) => {
    const list = await call("GET", `/v1/runs?${query}`, { key: org.key });
    expect(list.body.data.map(({ id }: { id: string }) => id).sort()).toEqual(ids);
    const file = await call("GET", `/v1/runs/export?${DAY}&format=ndjson&${query}`, { key: org.key });
    const lines = file.text.split("\n").filter((line) => line !== "");
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id).sort()).toEqual(ids);
    const report = await org.send("GET", `usage/report?${DAY}&group_by=model&${query}`);
    expect(report.body.totals.runs).toBe(ids.length);
  });

  test("counts adjustments with the runs that they belong to, in reports and in FOCUS", async () => {
    const range = "from=2026-11-01&to=2027-01-01";
    const total = async (query: string) =>
      (await org.send("GET", `usage/report?${range}&group_by=model&${query}`)).body.totals.cost_usd;
    expect(await total("tag=team:search")).toBe("0.75");
    expect(await total("tag=team:ads")).toBe("2.00");
    expect(await total("without=tag:team")).toBe("12.00");
    const focus = async (query: string) =>
      (await call("GET", `/v1/runs/export?${range}&format=focus&${query}`, { key: org.key })).text;
    expect(await focus("tag=team:search")).toContain("-0.25");
    expect(await focus("tag=team:ads")).not.toContain("-0.25");
    expect(await focus("without=customer_id")).not.toContain("-0.25");
  });

  test("lists the runs that a limit counted in its period, whenever they started", async () => {
    const spender = await newSpender();
    const budget = { scope_kind: "org", limit_usd: "100", period: "month" };
    await spender.run({ id: "before" });
    const { body } = await spender.send("POST", "budgets", budget);
    await spender.run({ id: "long-ago", started_at: "2026-08-01T00:00:00Z" });
    await spender.run({ id: "now" });
    const ids = async (query: string) => {
      const list = await call("GET", `/v1/runs?${query}`, { key: spender.key });
      const file = await call("GET", `/v1/runs/export?from=2026-07-01&to=2027-01-01&${query}`, {
        key: spender.key,
      });
      const shown = list.body.data.map(({ id }: { id: string }) => id).sort();
      const lines = file.text.split("\n").filter((line) => line !== "");
      expect(lines.map((line) => (JSON.parse(line) as { id: string }).id).sort()).toEqual(shown);
      return shown as string[];
    };
    expect(await ids(`limit_id=${body.id}`)).toEqual(["long-ago", "now"]);
    expect(await ids(`limit_id=${String(body.id).slice(0, -1)}`)).toEqual([]);
    const read = (await spender.send("GET", `budgets/${body.id}`)).body;
    expect(await ids(`limit_id=${body.id}&charged_from=${read.period_start}`)).toEqual(["long-ago", "now"]);
    expect(await ids(`limit_id=${body.id}&charged_from=${read.period_end}`)).toEqual([]);
    const wrong = await call("GET", "/v1/runs?charged_from=soon", { key: spender.key });
    expect([wrong.status, wrong.body.error.details.fields[0].field]).toEqual([422, "charged_from"]);
  });

  test.each([
    ["tag", "tag=team"],
    ["tag", "tag=Team:x"],
    ["tag", "tag=team:"],
    ["tag", `tag=team:${"x".repeat(201)}`],
    ["without", "without=model"],
    ["without", "without=outcome"],
    ["without", "without=tag:Team"],
    ["without", "without=toString"],
  ])("names %s where it is malformed: %s", async (field, query) => {
    for (const path of ["/v1/runs?", `/v1/orgs/${org.id}/usage/report?group_by=model&`]) {
      const answer = await call("GET", path + query, { key: org.key });
      expect([answer.status, answer.body.error.details.fields[0].field]).toEqual([422, field]);
    }
  });
});
