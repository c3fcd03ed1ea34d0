import { beforeAll, expect, test } from "vitest";
import { newSpender, type Spender } from "../../support/ledger.ts";
import { type Browser, signedIn } from "../../support/session.ts";

/** The page of a run has everything that the API has of it. */

let org: Spender;
let browser: Browser;

const html = async (path: string) => {
  const answer = await browser.get(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return (await answer.text()).replaceAll("&amp;", "&");
};
/** What a reader sees: the text, without the markup. */
const text = async (path: string) => (await html(path)).replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");

beforeAll(async () => {
  org = await newSpender();
  browser = await signedIn(org.id, "viewer");
});

test("shows its chain as a tree, from any of its runs", async () => {
  const chain_id = "support-case-7";
  for (const [id, parent_run_id] of [
    ["root", undefined],
    ["left", "root"],
    ["leaf", "left"],
    ["right", "root"],
  ] as const) {
    expect((await org.run({ id, chain: { chain_id, parent_run_id }, incurred: true })).status).toBe(201);
  }
  await org.run({ id: "other", chain: { chain_id: "another" } });
  const page = await html("/console/runs/left");
  const [, tree = ""] = /<ul class="tree">([^]*)<\/ul>/.exec(page) ?? [];
  const shape = tree
    .replaceAll('<ul class="tree">', "(")
    .replaceAll("</ul>", ")")
    .replaceAll(/<[^>]*>/g, " ")
    .match(/[()]|\b(root|left|leaf|right)\b/g);
  expect(shape?.join("")).toBe("root(left(leaf)right)");
  expect(tree).toContain('<strong class="mono">left</strong>');
  expect(tree).toContain('href="/console/runs/leaf"');
  expect(page).toContain(`href="/console/runs?chain_id=${chain_id}"`);
  expect(page).not.toContain('href="/console/runs/other"');
});

test("shows tags, metadata, and how it ended", async () => {
  const tags = { team: "search", "cost-center": "<17>" };
  const run = { id: "tagged", tags, metadata: { note: "<b>" }, outcome: "failed", estimated: true };
  expect((await org.run(run)).status).toBe(201);
  const page = await html("/console/runs/tagged");
  expect(page).toContain("<li>team: search</li>");
  expect(page).toContain("<li>cost-center: &lt;17&gt;</li>");
  expect(page).toContain("&lt;b&gt;");
  expect(await text("/console/runs/tagged")).toMatch(/Details Failed Estimated/);
});

test("shows what exceeded a limit, what credits did not cover, and what a shadow limit would have refused", async () => {
  const budget = { name: "Tight", scope_kind: "workflow", scope_id: "w", limit_usd: "2.00", period: "month" };
  await org.send("POST", "budgets", budget);
  await org.send("POST", "budgets", { ...budget, name: "Trial", scope_id: "trial", mode: "shadow" });
  await org.send("POST", "credit-packs", { customer_id: "globex", amount_usd: "3.00" });
  const run = { id: "over", workflow_id: "w", customer_id: "globex", cost_usd: "5.00", incurred: true };
  expect((await org.run(run)).status).toBe(201);
  const page = await text("/console/runs/over");
  expect(page).toMatch(/Tight Budget bud_\w+ \$5\.00 \$3\.00/);
  expect(page).toContain("credits did not cover $2.00");
  expect((await org.run({ id: "tried", workflow_id: "trial", cost_usd: "5.00" })).status).toBe(201);
  expect(await text("/console/runs/tried")).toMatch(
    /Shadow Limits that would have refused it, if they were enforced[^]*Budget exceeded 402/,
  );
  await org.run({ id: "within", cost_usd: "0.10" });
  const plain = await text("/console/runs/within");
  for (const none of ["did not cover", "Shadow", "Chain "]) expect(plain).not.toContain(none);
});

test("is of the reader's organization only", async () => {
  const other = await signedIn((await newSpender()).id, "owner");
  expect((await other.get("/console/runs/over")).status).toBe(404);
});
