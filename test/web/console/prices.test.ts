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

test("a run that its caller priced says so, and has no breakdown", async () => {
  const org = await newSpender();
  await org.run({ id: "r", cost_usd: "2" });
  const text = await textOf(await (await signedIn(org.id)).get("/console/runs/r"));
  expect(text).toContain("Cost from the caller");
  expect(text).not.toContain("per million");
});
