import { beforeAll, describe, expect, test } from "vitest";
import { aRun, newSpender, type Spender } from "../../support/ledger.ts";
import { type Browser, signedIn } from "../../support/session.ts";
import { call } from "../../support/worker.ts";

/** What is behind a number: the runs that make it up, their sum, and on which models it was spent. */

const NOW = Date.now();
const today = new Date(NOW).toISOString().slice(0, 10);
const tomorrow = new Date(NOW + 86_400_000).toISOString().slice(0, 10);

let org: Spender;
let browser: Browser;
let claude: string;
let review: string;

const html = async (path: string) => {
  const answer = await browser.get(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return (await answer.text()).replaceAll("&amp;", "&");
};
/** What a reader sees: the text, without the markup. */
const textOf = (page: string) => page.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
const text = async (path: string) => textOf(await html(path));
const spentLink = async (id: string) => {
  const page = await html(`/console/budgets/${id}`);
  return new RegExp(`href="(/console/runs\\?limit_id=${id}&charged_from[^"]*)"`).exec(page)?.[1] ?? "none";
};

beforeAll(async () => {
  org = await newSpender();
  browser = await signedIn(org.id, "viewer");
  const month = { period: "month", limit_usd: "10.00" };
  const made = async (body: object) => (await org.send("POST", "budgets", body)).body.id as string;
  claude = await made({ name: "Claude", match: { model: "claude-*" }, group_by: ["user_id"], ...month });
  review = await made({ name: "Review", scope_kind: "workflow", scope_id: "review", ...month });
  const runs = [
    ["a", "claude-opus", "ada", "4.00", "review"],
    ["b", "claude-sonnet", "ada", "1.50", "draft"],
    ["c", "claude-sonnet", "bo", "2.25", "review"],
    ["d", "gpt-4o", "bo", "0.75", "review"],
  ] as const;
  for (const [id, model, user_id, cost_usd, workflow_id] of runs) {
    const started_at = new Date(NOW).toISOString();
    const run = { id, model, user_id, cost_usd, workflow_id, started_at, customer_id: "globex" };
    expect((await org.run({ ...run, incurred: true })).status).toBe(201);
  }
  const less = { amount_usd: "-0.25", reason: "credit note" };
  expect((await call("POST", "/v1/runs/d/adjustments", { key: org.key, body: less })).status).toBe(201);
});

describe("runs", () => {
  test("are added up by what they are filtered by, with adjustments, and lead to each model", async () => {
    const page = await html(`/console/runs?customer_id=globex&from=${today}&to=${tomorrow}`);
    expect(textOf(page)).toContain("Cost of these runs $8.25");
    expect(textOf(page)).toMatch(/Runs 4 of 3 models/);
    expect(page).toContain('<a href="#models">3 models</a>');
    const href = `/console/runs?customer_id=globex&from=${today}&to=${tomorrow}&model=claude-sonnet&sort=-cost_usd`;
    expect(page).toContain(`href="${href}"`);
    expect(await text(href)).toContain("Cost of these runs $3.75");
  });

  test("are added up without days, and by filters that reports do not know", async () => {
    expect(await text("/console/runs")).toContain("Cost of these runs $8.25");
    const charged = await text(
      `/console/runs?limit_id=${review}&charged_from=${today.slice(0, 8)}01&model=claude-sonnet`,
    );
    expect(charged).toContain("Charged $2.25 to Review Cost of these runs $2.25");
    expect(charged).toContain("Runs 1 of 1 model ");
  });

  test("that are too many to add up say so, and how to see their sum", async () => {
    const many = await newSpender();
    const started_at = new Date(NOW).toISOString();
    const bulk = (from: number, workflow_id: string) =>
      Array.from({ length: 500 }, (_, at) =>
        aRun({ id: `m${from + at}`, started_at, cost_usd: "0.01", workflow_id }),
      );
    const { body } = await many.send("POST", "budgets", {
      scope_kind: "workflow",
      scope_id: "w",
      limit_usd: "99.00",
      period: "month",
    });
    for (const from of [0, 500, 1000]) expect((await many.bulk(bulk(from, "w"))).status).toBe(200);
    const reader = await signedIn(many.id, "viewer");
    const read = async (path: string) => textOf(await (await reader.get(path)).text());
    const all = await read("/console/runs?range=all");
    expect(all).toContain("These are too many runs to add up at once. Choose days");
    expect(await read(`/console/runs?from=${today}&to=${tomorrow}`)).toContain("Cost of these runs $15.00");
    const charged = await read(
      `/console/runs?limit_id=${body.id}&charged_from=${body.period_start.slice(0, 10)}`,
    );
    expect(charged).toContain("Charged $15.00 to Workflow w");
    expect(charged).toContain("These are too many runs to add up at once.");
    expect(await read(`/console/runs?limit_id=${body.id}&from=${today}&to=${tomorrow}`)).toContain(
      "Choose fewer days",
    );
    const { body: other } = await many.send("POST", "budgets", {
      scope_kind: "workflow",
      scope_id: "y",
      limit_usd: "99.00",
      period: "month",
    });
    await many.bulk(bulk(2000, "y").slice(0, 300));
    expect(await read(`/console/runs?limit_id=${other.id}`)).toMatch(
      /Charged \$3\.00 to Workflow y Cost of these runs \$3\.00/,
    );
  });

  test("of a chain are added up", async () => {
    const chain = { chain_id: "chn" };
    for (const id of ["x", "y"]) {
      const run = { id, chain, started_at: new Date(NOW).toISOString(), cost_usd: "0.10" };
      expect((await org.run(run)).status).toBe(201);
    }
    expect(await text("/console/runs?chain_id=chn")).toContain("Cost of these runs $0.20");
    expect(await text("/console/runs?chain_id=none")).not.toContain("Cost of these runs");
  });

  test("are downloaded as they are filtered, each with its cost after adjustments", async () => {
    const path = `/console/runs/export?customer_id=globex&model=gpt-4o&from=${today}&to=${tomorrow}`;
    const page = await html(path.replace("/export", ""));
    expect(page).toContain(`href="${path}"`);
    const answer = await browser.get(path);
    expect(answer.headers.get("content-type")).toContain("text/csv");
    const [head = "", ...rows] = (await answer.text()).trim().split("\r\n");
    const net = head.split(",").indexOf("net_cost_usd");
    expect(rows.map((row) => [row.split(",")[0], row.split(",")[net]])).toEqual([["d", "0.50"]]);
  });
});

test("a customer's page says on which models it spent, and leads to their runs", async () => {
  const page = await html("/console/customers/globex");
  expect(textOf(page)).toMatch(
    /By model \d+ \w+ to \d+ \w+ claude-opus \$4\.00 1 run claude-sonnet \$3\.75 2 runs gpt-4o \$0\.50 1 run/,
  );
  const [, href = ""] =
    /href="(\/console\/runs\?customer_id=globex&model=claude-sonnet[^"]*)"/.exec(page) ?? [];
  expect(await text(href)).toContain("Cost of these runs $3.75");
});

describe("a budget", () => {
  test("leads from what is spent to its runs, which add up to it", async () => {
    const page = await text(await spentLink(review));
    expect(page).toContain("Charged $6.75 to Review");
    expect(page).toMatch(/Runs 3 of 3 models/);
  });

  test("with several counters shows the fullest, the sum of all, and its days by counter", async () => {
    const list = await text("/console/budgets");
    expect(list).toContain("55 % the fullest: ada $7.75 $0.00 $10.00");
    expect(await text(await spentLink(claude))).toContain("Charged $7.75 to Claude");
    const page = await html(`/console/budgets/${claude}`);
    const trend = page.slice(page.indexOf("<h2>Trend"));
    expect(textOf(trend)).toMatch(/: \$7\.75 ada: \$5\.50 bo: \$2\.25/);
  });

  test.each([
    ["several values", { workflow_id: ["review", "draft"], model: "claude-*" }, "usd", "$7.75"],
    ["one value", { workflow_id: "review" }, "usd", "$6.75"],
    ["runs", { model: "claude-sonnet" }, "runs", "2 runs"],
    ["tokens", { model: ["claude-sonnet", "gpt-4o"] }, "tokens", "45 tokens"],
  ])("that matches by %s has a trend in its own unit", async (name, match, unit, amount) => {
    const limit = unit === "usd" ? "100.00" : 1000;
    const { body } = await org.send("POST", "budgets", { name, match, unit, limit, period: "month" });
    const page = await html(`/console/budgets/${body.id}`);
    expect(page).toContain(`over 30 days, ${amount}`);
  });
});
