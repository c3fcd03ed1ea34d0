import { beforeAll, describe, expect, test } from "vitest";
import { type Browser, signedIn } from "../../support/session.ts";
import { call, newOrg, type TestOrg } from "../../support/worker.ts";

let org: TestOrg;
let browser: Browser;
const send = (path: string, body: object) => call("POST", path, { key: org.ownerKey, body });
const text = async (path: string) => (await browser.get(path)).text();

beforeAll(async () => {
  org = await newOrg({ environment: "test" });
  browser = await signedIn(org.id, "viewer");
});

test("a budget that is used up says so, and when it starts again", async () => {
  const budget = { scope_kind: "workflow", scope_id: "w", limit_usd: "1.00", period: "month" };
  const { body } = await send(`/v1/orgs/${org.id}/budgets`, budget);
  expect(await text(`/console/budgets/${body.id}`)).not.toContain("It is used up");
  const run = {
    started_at: new Date().toISOString(),
    model: "acme/m1",
    workflow_id: "w",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: "1.00",
  };
  expect((await send("/v1/runs", run)).status).toBe(201);
  expect(await text(`/console/budgets/${body.id}`)).toMatch(
    /It is used up\. It starts again on 1 \w+ \d{4}, 00:00 UTC\./,
  );
});

test("counters of a budget are headed by a word, not by a field's name", async () => {
  const budget = { match: {}, group_by: ["user_id"], limit_usd: "1.00", period: "month" };
  const { body } = await send(`/v1/orgs/${org.id}/budgets`, budget);
  const page = await text(`/console/budgets/${body.id}`);
  expect(page).toContain("By user<");
});

test("a plan's use is what was recorded this month", async () => {
  const page = await text("/console/limits");
  expect(page).toContain("Runs recorded this month");
  expect(page).not.toContain("of unlimited");
});

test("days are compared with others, and a range ends before a day", async () => {
  expect(await text("/console")).toMatch(/\(UTC\), compared with \d+ \w+ to \d+ \w+/);
  for (const path of [
    "/console/runs?range=all",
    "/console/refusals?code=",
    "/console/events?type=",
    "/console/audit",
  ]) {
    const page = await text(path);
    expect([path, page.includes("not included")]).toEqual([path, false]);
  }
  expect(await text("/console/audit")).toContain('<label for="to">Before</label>');
});

test("a customer's limit and its credits are told apart", async () => {
  const customer_id = "umbrella";
  await send(`/v1/orgs/${org.id}/customer-limits`, { customer_id, limit_usd: "5.00", period: "month" });
  await send(`/v1/orgs/${org.id}/credit-packs`, { customer_id, amount_usd: "9.00" });
  const page = await text("/console");
  expect(page.match(/>umbrella<\/a>/g)).toHaveLength(2);
  expect(page).toMatch(/Customer limit: <a[^>]*>0 %<\/a> of \$5\.00 a month,/);
  expect(page).toMatch(/Credits: <a[^>]*>0 %<\/a> of \$9\.00<\/span>/);
});

test("runs open with those of seven days, and say where the others are", async () => {
  const own = await newOrg();
  const at = await signedIn(own.id, "viewer");
  const page = async (path: string) => (await at.get(path)).text();
  expect(await page("/console/runs")).toContain("No runs yet");
  const report = async (id: string, daysAgo: number) => {
    const started_at = new Date(Date.now() - daysAgo * 86_400_000).toISOString();
    const body = {
      id,
      started_at,
      model: "m",
      usage: { input_tokens: 1, output_tokens: 1 },
      cost_usd: "1.00",
    };
    expect((await call("POST", "/v1/runs", { key: own.ownerKey, body })).status).toBe(201);
  };
  await report("older", 9);
  expect(await page("/console/runs")).toContain('href="/console/runs?range=all"');
  await report("newer", 2);
  const week = await page("/console/runs");
  expect([week.includes("/console/runs/newer"), week.includes("/console/runs/older")]).toEqual([true, false]);
  expect(week).toMatch(/aria-current="true">7 days</);
  const all = await page("/console/runs?range=all");
  expect([all.includes("/console/runs/newer"), all.includes("/console/runs/older")]).toEqual([true, true]);
  expect(all).toMatch(/aria-current="true">Any time</);
});

describe("the page of a budget", () => {
  const run = (own: TestOrg, fields: object) =>
    call("POST", "/v1/runs", {
      key: own.ownerKey,
      body: {
        started_at: new Date().toISOString(),
        model: "acme/m1",
        workflow_id: "w",
        usage: { input_tokens: 1, output_tokens: 1 },
        ...fields,
      },
    });
  const budgetOf = (own: TestOrg, fields: object) =>
    call("POST", `/v1/orgs/${own.id}/budgets`, {
      key: own.ownerKey,
      body: { scope_kind: "workflow", scope_id: "w", period: "month", limit_usd: "10.00", ...fields },
    });
  const pageOf = async (own: TestOrg, id: string) =>
    (await (await signedIn(own.id, "viewer")).get(`/console/budgets/${id}`)).text();

  test("says what it does, when it alerts, and what it would have refused", async () => {
    const own = await newOrg();
    expect((await run(own, { cost_usd: "12.50" })).status).toBe(201);
    const { body } = await budgetOf(own, { alert_thresholds: ["0.8", "1"], name: "<i>Reviews</i>" });
    expect((await run(own, { cost_usd: "8.50" })).status).toBe(201);
    const page = await pageOf(own, body.id);
    expect(page).toContain("Workflow w may spend $10.00 a month.");
    expect(page).toContain("A call that would go over is refused before it costs anything.");
    expect(page).toMatch(/<span class="badge warn">80% reached<\/span><span class="badge">100%<\/span>/);
    expect(page).toContain("In the last 30 days these calls took $21.00.");
    expect(page).toContain("about $11.00 of that would have been refused.");
    expect(page).not.toContain("<i>");
    const shadow = await budgetOf(own, { mode: "shadow", period: "day", limit_usd: "500" });
    const trial = await pageOf(own, shadow.body.id);
    expect(trial).toContain("A call that would go over is reported, and not refused.");
    expect(trial).toContain("nothing of that would have been refused");
    expect(trial).toContain("Nobody is told before it is used up.");
  });

  test("says from when it counts, and what it does not count", async () => {
    const own = await newOrg();
    expect((await run(own, { cost_usd: "4.25" })).status).toBe(201);
    const { body } = await budgetOf(own, {});
    expect((await run(own, { cost_usd: "1.00" })).status).toBe(201);
    const page = await pageOf(own, body.id);
    expect(page).toMatch(/It counts from \d+ \w+ \d{4}, \d\d:\d\d UTC, when it was created\./);
    expect(page).toMatch(
      /Of what was spent in this period,\s*<span class="number">\$4\.25<\/span> came before/,
    );
    const other = await budgetOf(own, { scope_id: "unused" });
    expect(await pageOf(own, other.body.id)).not.toContain("when it was created");
  });

  test("offers to count what was spent before it was created, and then says so", async () => {
    const own = await newOrg();
    expect((await run(own, { cost_usd: "4.25" })).status).toBe(201);
    const { body } = await budgetOf(own, { limit_usd: "2.00" });
    const path = `/console/budgets/${body.id}`;
    const offer = `action="${path}/count-earlier"`;
    expect(await pageOf(own, body.id)).not.toContain(offer);
    const admin = await signedIn(own.id, "admin");
    const page = async () => (await admin.get(path)).text();
    expect(await page()).toContain(offer);
    const viewer = await signedIn(own.id, "viewer");
    expect((await viewer.post(`${path}/count-earlier`, {})).status).toBe(403);
    expect((await admin.post(`${path}/count-earlier`, { _csrf: "forged" })).status).toBe(403);
    expect(await page()).toContain("when it was created");
    const done = await admin.post(`${path}/count-earlier`, {});
    expect([done.status, done.headers.get("location")]).toEqual([303, `${path}?notice=saved`]);
    const after = await page();
    expect(after).toMatch(/It counts from 1 \w+ \d{4}, 00:00 UTC: what was spent in this period before it/);
    expect(after).toMatch(/<a href="\/console\/runs\?workflow_id=w&amp;charged_from=[\d-]+&amp;sort=/);
    expect(after).toMatch(/\$2\.25<\/span> over:<\/strong> more was spent before it was created/);
    expect(after).not.toContain(offer);
    const fields = {
      scope_kind: "workflow",
      scope_id: "w",
      limit_usd: "10",
      period: "month",
      mode: "shadow",
    };
    await admin.post("/console/budgets", { ...fields, unit: "usd", count_from: "period_start" });
    const budgets = await call("GET", `/v1/orgs/${own.id}/budgets`, { key: own.ownerKey });
    expect(budgets.body.data[0]).toMatchObject({ count_from: "period_start", spent: "4.25" });
    await admin.post(path, { ...fields, count_from: "creation", name: "n" });
    expect(await page()).toContain(offer);
  });

  test("says why it is over its limit", async () => {
    const own = await newOrg();
    const { body } = await budgetOf(own, {});
    expect((await run(own, { cost_usd: "17.85", incurred: true })).status).toBe(201);
    const page = await pageOf(own, body.id);
    expect(page).toMatch(/<span class="number">\$7\.85<\/span> over:/);
    expect(page).toContain(">runs reported as incurred</a>");
    const list = await (await (await signedIn(own.id, "viewer")).get("/console/budgets")).text();
    expect(list).toMatch(/<span class="number">\$7\.85<\/span> over<\/span>/);
    const lowered = await budgetOf(own, { scope_id: "lowered" });
    await run(own, { workflow_id: "lowered", cost_usd: "9.00" });
    await call("PATCH", `/v1/orgs/${own.id}/budgets/${lowered.body.id}`, {
      key: own.ownerKey,
      body: { limit_usd: "2.00" },
    });
    expect(await pageOf(own, lowered.body.id)).toContain("before the limit was lowered");
  });

  test("a limit of a customer says by how much it is passed, and why, wherever it is shown", async () => {
    const own = await newOrg();
    const limit = async (customer_id: string) =>
      (
        await call("POST", `/v1/orgs/${own.id}/customer-limits`, {
          key: own.ownerKey,
          body: { customer_id, limit_usd: "10.00", period: "month" },
        })
      ).body.id as string;
    const [globex, all] = [await limit("globex"), await limit("*")];
    for (const [customer_id, cost_usd] of [
      ["globex", "17.85"],
      ["hooli", "12.50"],
      ["initech", "9.00"],
    ] as const) {
      expect((await run(own, { customer_id, cost_usd, incurred: true })).status).toBe(201);
    }
    const visitor = await signedIn(own.id, "viewer");
    const read = async (path: string) => (await visitor.get(path)).text();
    const says = (amount: string) => new RegExp(`<span class="number">\\${amount}</span> over:`);
    for (const path of [`/console/customer-limits/${globex}`, "/console/customers/globex"]) {
      const page = await read(path);
      expect(page).toMatch(says("$7.85"));
      expect(page).toContain(">runs reported as incurred</a>");
    }
    expect(await read("/console/customer-limits")).toMatch(
      /<span class="number">\$7\.85<\/span> over<\/span>/,
    );
    // The limit of every other customer has a counter of each, and the runs of others say nothing of it.
    const hooli = await read("/console/customers/hooli");
    expect(hooli).toMatch(says("$2.50"));
    expect(hooli).toContain(">runs reported as incurred</a>");
    for (const path of ["/console/customers/initech", `/console/customer-limits/${all}`]) {
      expect(await read(path)).not.toMatch(/<\/span> over/);
    }
    await call("PATCH", `/v1/orgs/${own.id}/customer-limits/${globex}`, {
      key: own.ownerKey,
      body: { limit_usd: "3.00" },
    });
    expect(await read("/console/customers/globex")).toContain("before the limit was lowered");
  });
});
