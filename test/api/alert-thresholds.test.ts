import { expect, test } from "vitest";
import { call, operatorKey } from "../support/worker.ts";
import { newSpender } from "../support/ledger.ts";

test("a plan announces each threshold of its runs and tokens once a month", async () => {
  const set = (body: object) =>
    call("PUT", "/v1/admin/plans/alerting", {
      key: operatorKey(),
      body: { runs_limit: 4, tokens_limit: 60, overage_policy: "allow", ...body },
    });
  const made = await set({ alert_thresholds: ["0.50", "1"] });
  expect(made.body).toMatchObject({ alert_thresholds: ["0.5", "1"] });
  const org = await newSpender({ plan: "alerting" });
  expect((await org.send("GET", "plan")).body).toMatchObject({ alert_thresholds: ["0.5", "1"] });
  for (let run = 0; run < 5; run += 1) await org.run();
  const told = async () =>
    (await org.events("plan.threshold_crossed")).map(({ data }) => [data["limit_id"], data["threshold"]]);
  const once = ["0.5", "1"].flatMap((share) => [
    ["plan_runs", share],
    ["plan_tokens", share],
  ]);
  expect(await told()).toEqual(once);
  const [first] = await org.events("plan.threshold_crossed");
  expect(first?.data).toMatchObject({ unit: "runs", limit: 4, spent: 2, scope_kind: "org" });
  await org.advance(31 * 86_400);
  expect((await set({ runs_limit: 2, tokens_limit: null })).body).toMatchObject({
    alert_thresholds: ["0.5", "1"],
  });
  await org.run();
  expect(await told()).toEqual([...once, ["plan_runs", "0.5"]]);
  expect((await set({ alert_thresholds: [] })).body).toMatchObject({ alert_thresholds: [] });
  const wrong = await set({ alert_thresholds: ["0", "0.5"] });
  expect(wrong.body.error.details.fields[0].field).toBe("alert_thresholds[0]");
});

test("customer limits, the spend cap, credit packs and the quota announce each threshold once", async () => {
  const org = await newSpender();
  const alert_thresholds = ["0.5", "0.9"];
  const limit = { customer_id: "*", limit_usd: "10", period: "month", alert_thresholds };
  const each = await org.send("POST", "customer-limits", limit);
  const cap = await org.send("PUT", "spend-cap", { cap_usd: "10", alert_thresholds });
  const pack = await org.send("POST", "credit-packs", {
    customer_id: "c",
    amount_usd: "10",
    alert_thresholds,
  });
  await org.operate("PUT", "/v1/orgs/{org}/quota", { alert_thresholds });
  const quota = await org.operate("POST", "/v1/orgs/{org}/quota/top-ups", { amount_usd: "10" });
  for (const { body } of [each, cap, pack, quota]) expect(body).toMatchObject({ alert_thresholds });
  // Setting it again without them keeps them.
  expect((await org.send("PUT", "spend-cap", { cap_usd: "10" })).body).toMatchObject({ alert_thresholds });
  await org.run({ customer_id: "c", cost_usd: "5" });
  await org.run({ customer_id: "c", cost_usd: "1" });
  await org.run({ customer_id: "c", cost_usd: "3" });
  const kinds = ["spend_cap", "customer_limit", "credit_pack", "quota"];
  for (const kind of kinds) {
    const told = await org.events(`${kind}.threshold_crossed`);
    expect([kind, told.map(({ data }) => data["threshold"])]).toEqual([kind, alert_thresholds]);
    expect(told[0]?.data).toMatchObject({ limit_usd: "10.00", spent_usd: "5.00" });
  }
  const [first] = await org.events("customer_limit.threshold_crossed");
  expect(first?.data).toMatchObject({ limit_id: each.body.id, scope_kind: "customer", scope_id: "c" });
  expect(await org.events("budget.threshold_crossed")).toEqual([]);
  const wrong = await org.send("PUT", "spend-cap", { cap_usd: "10", alert_thresholds: ["0"] });
  expect(wrong.body.error.details.fields[0].field).toBe("alert_thresholds[0]");
  const changed = await org.send("PATCH", `customer-limits/${each.body.id}`, { alert_thresholds: [] });
  expect(changed.body.alert_thresholds).toEqual([]);
});
