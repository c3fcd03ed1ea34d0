import { expect, test } from "vitest";
import { newSpender } from "../support/ledger.ts";
import { call, operatorKey } from "../support/worker.ts";

const setPlan = (plan: string, body: object) =>
  call("PUT", `/v1/admin/plans/${plan}`, { key: operatorKey(), body });

test("a new org is on the standard plan, which is unlimited and counted", async () => {
  const org = await newSpender();
  await org.run();
  expect((await org.send("GET", "plan")).body).toMatchObject({
    plan: "standard",
    runs_limit: null,
    tokens_limit: null,
    runs_used: 1,
    tokens_used: 15,
  });
});

test("a plan that blocks refuses past its runs and past its tokens, until it changes or the month ends", async () => {
  await setPlan("blocks", { runs_limit: 2, tokens_limit: 40, overage_policy: "block" });
  const org = await newSpender({ plan: "blocks" });
  await org.run();
  const tokens = await org.run({ usage: { input_tokens: 26, output_tokens: 0 } });
  expect([tokens.status, tokens.body.error.code]).toEqual([402, "plan_limit_exceeded"]);
  expect(tokens.body.error.details).toEqual({ limit_kind: "tokens", limit: 40, used: 15 });
  await org.run();
  const runs = await org.run();
  expect(runs.body.error.details).toEqual({ limit_kind: "runs", limit: 2, used: 2 });
  expect(await org.events("plan.limit_reached")).toHaveLength(2);
  await setPlan("blocks", { runs_limit: 3, tokens_limit: null, overage_policy: "block" });
  expect([(await org.run()).status, (await org.run()).status]).toEqual([201, 402]);
  await org.advance(31 * 86_400);
  expect((await org.run()).status).toBe(201);
});

test("a plan that allows overage refuses nothing and announces that it was reached", async () => {
  await setPlan("allows", { runs_limit: 1, tokens_limit: null, overage_policy: "allow" });
  const org = await newSpender({ plan: "allows" });
  for (let i = 0; i < 3; i++) expect((await org.run()).status).toBe(201);
  expect(await org.events("plan.limit_reached")).toHaveLength(1);
  expect((await org.send("GET", "plan")).body).toMatchObject({ runs_used: 3, overage_policy: "allow" });
});

test("an operator moves an org to another plan, which must exist", async () => {
  await setPlan("tiny", { runs_limit: 0, tokens_limit: 0, overage_policy: "block" });
  const org = await newSpender();
  expect((await org.operate("PATCH", "/v1/admin/orgs/{org}", { plan: "nope" })).status).toBe(422);
  expect((await org.operate("PATCH", "/v1/admin/orgs/{org}", { plan: "tiny" })).status).toBe(200);
  expect((await org.run()).body.error.code).toBe("plan_limit_exceeded");
  const listed = await call("GET", "/v1/admin/plans", { key: operatorKey() });
  expect(listed.body.data.map((one: { plan: string }) => one.plan)).toContain("tiny");
});
