import { expect, test } from "vitest";
import { newSpender } from "../../support/ledger.ts";
import { signedIn } from "../../support/session.ts";

const textOf = (page: string) => page.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");

test("the rules are tried on an attempt, rule by rule, and nothing is recorded", async () => {
  const org = await newSpender();
  const rule = { target: "model", effect: "deny", mode: "enforce" };
  const made = await org.send("POST", "policy-rules", {
    ...rule,
    when: 'model.startsWith("deepseek")',
    reason: "Not approved <yet>.",
    priority: 2,
  });
  expect(made.status).toBe(201);
  await org.send("POST", "policy-rules", {
    ...rule,
    when: 'model == "o3"',
    reason: "Ask first.",
    priority: 1,
  });
  const admin = await signedIn(org.id, "admin");
  const tried = async (query: string) => textOf(await (await admin.get(`/console/policies?${query}`)).text());
  const denied = await tried("model=deepseek-chat&estimate.cost_usd=0.05");
  expect(denied).toContain("It would be: Deny Not approved &lt;yet&gt;.");
  expect(denied).toMatch(
    /Not approved &lt;yet&gt;\. rule_\w+ Deny Matched[^]*Ask first\. rule_\w+ Deny Not matched/,
  );
  expect(await tried("model=gpt-4o")).toContain("It would be: Allow");
  const wrong = await admin.get("/console/policies?model=gpt-4o&estimate.cost_usd=many");
  expect(await wrong.text()).toContain('id="try-estimate-cost_usd-error"');
  const kept = await org.send("GET", "refusals");
  expect(kept.body.data).toEqual([]);
  const viewer = await signedIn(org.id, "viewer");
  const page = await (await viewer.get("/console/policies?model=deepseek-chat")).text();
  expect(page).not.toContain("Try the rules");
  expect(page).not.toContain("It would be");
});
