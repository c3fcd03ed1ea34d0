import { expect, test } from "vitest";
import { newSpender } from "../../support/ledger.ts";
import { signedIn } from "../../support/session.ts";
import { call } from "../../support/worker.ts";

/** What a reader sees of a page: its text, without the markup. */
async function textOf(page: Response): Promise<string> {
  const html = (await page.text()).replaceAll(/<[^>]*>/g, " ");
  return html.replaceAll(/\s+/g, " ");
}

test("a run's page shows what each class cost, and each adjustment with its reason", async () => {
  const org = await newSpender();
  const browser = await signedIn(org.id);
  const page = async () => textOf(await browser.get("/console/runs/r"));
  await org.send("PUT", "models/m", {
    input_usd_per_mtok: "3",
    output_usd_per_mtok: "15",
    units: { web_search: "0.01" },
  });
  const usage = {
    input_tokens: 2_000_000,
    output_tokens: 0,
    cache_read_tokens: 500_000,
    units: { web_search: 2 },
  };
  await org.run({ id: "r", model: "m", usage, cost_usd: undefined });
  const before = await page();
  expect(before).toContain("Cost $6.02 Cost from the price book, revision 1");
  expect(before).toContain("Cache read 500,000 $3.00 per million $1.50");
  expect(before).toContain("Web search 2 $0.01 each $0.02");
  expect(before).not.toContain("Adjust");
  for (const [amount_usd, reason] of [
    ["-1.5", "credit note <17>"],
    ["0.25", "audio"],
  ]) {
    await call("POST", "/v1/runs/r/adjustments", { key: org.key, body: { amount_usd, reason } });
  }
  const after = await page();
  expect(after).toContain("Adjusted by -$1.25 Cost with it $4.77");
  expect(after).toContain("audio $0.25 $4.77");
  expect(after).toContain("credit note &lt;17&gt; -$1.50 $4.52");
  expect(await textOf(await browser.get("/console/runs"))).toContain("$6.02 $4.77 adjusted");
});

test("the price book says where each price comes from, from when, all its rates, and what a call costs", async () => {
  const org = await newSpender();
  const browser = await signedIn(org.id);
  const rates = { input_usd_per_mtok: "1", output_usd_per_mtok: "2" };
  await org.send("PUT", "models/m", { ...rates, variants: { batch: "0.5" } });
  await org.send("PUT", "models/m", {
    ...rates,
    cache_read_usd_per_mtok: "0.1",
    units: { web_search: "0.01" },
    tiers: [{ above_input_tokens: 200_000, input_usd_per_mtok: "6", cache_read_usd_per_mtok: "0.6" }],
  });
  await org.send("PUT", "models/free", { input_usd_per_mtok: "0", output_usd_per_mtok: "0" });
  await org.send("PUT", "models/later", { ...rates, effective_at: "2999-01-01T00:00:00Z" });
  const list = await textOf(await browser.get("/console/models"));
  expect(list).toContain("m your organization $1.00 $2.00 $0.002");
  expect(list).toContain("free your organization $0.00 $0.00 $0.00");
  expect(list).toContain("later your organization from 1 Jan 2999, 00:00 UTC");
  const tier = "above 200,000 input tokens $6.00 in, $2.00 out, $0.60 cache read";
  const one = await textOf(await browser.get("/console/models/m"));
  expect(one).toContain(`cache read, per million $0.10 one web search $0.01 ${tier}`);
  expect(one).toContain("1,000 tokens in, 500 out $0.002");
  expect(one).toMatch(/1 past your organization .{20,30} \$1\.00 \$2\.00 batch: 0\.5 times the rates/);
  expect(one).toMatch(
    /2 current your organization .{20,30} \$1\.00 \$2\.00 cache read: \$0\.10; one web search/,
  );
  const later = await textOf(await browser.get("/console/models/later"));
  expect(later).toContain("No price before 1 Jan 2999, 00:00 UTC");
  expect((await browser.get("/console/models/unheard")).status).toBe(404);
});

test("a price that starts now is in effect by the org's own clock", async () => {
  const org = await newSpender();
  await org.advance(100 * 86_400);
  await org.send("PUT", "models/m", { input_usd_per_mtok: "1", output_usd_per_mtok: "2" });
  const browser = await signedIn(org.id);
  expect(await textOf(await browser.get("/console/models"))).toContain("m your organization $1.00");
  expect(await textOf(await browser.get("/console/models/m"))).toContain("In effect since");
});

test("a run that its caller priced says so, and has no breakdown", async () => {
  const org = await newSpender();
  await org.run({ id: "r", cost_usd: "2" });
  const text = await textOf(await (await signedIn(org.id)).get("/console/runs/r"));
  expect(text).toContain("Cost from the caller");
  expect(text).not.toContain("per million");
});
