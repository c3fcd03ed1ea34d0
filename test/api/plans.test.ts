import { createExecutionContext } from "cloudflare:test";
import { expect, test } from "vitest";
import type { Env } from "../../src/edge/env.ts";
import worker from "../../src/index.ts";
import { savePlan } from "../../src/platform/plans.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { call, env, operatorKey } from "../support/worker.ts";
import { evict } from "../support/evict.ts";

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

test("a blocking plan refuses beyond its runs and tokens until it changes or the month ends", async () => {
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

test("an org that was unreachable when its plan changed has the new terms when it wakes", async () => {
  await setPlan("missed", { runs_limit: 5, tokens_limit: null, overage_policy: "block" });
  const org = await newSpender({ plan: "missed" });
  await org.run();
  const limits = { runs_limit: 1, tokens_limit: 99, overage_policy: "block" } as const;
  const terms = { plan: "missed", ...limits, alert_thresholds: ["0.9"] };
  await savePlan(env.DB, terms);
  const plan = async () => (await org.send("GET", "plan")).body;
  expect(await plan()).toMatchObject({ runs_limit: 5 });
  await evict(env.ORG.getByName(org.id));
  await expect.poll(plan).toMatchObject({ ...terms, runs_used: 1 });
  expect((await org.run()).body.error.code).toBe("plan_limit_exceeded");
  const entries = () => org.send("GET", "audit-log?action=plan.changed").then(({ body }) => body.data.length);
  const before = await entries();
  await evict(env.ORG.getByName(org.id));
  await plan();
  expect(await entries()).toBe(before);
});

/** A Worker in which one org's object does not answer. */
async function withoutOrg(orgId: string, plan: string, body: object): Promise<Response> {
  const silent = { execute: () => Promise.reject(Object.assign(new Error("reset"), { retryable: true })) };
  const getByName = (name: string) => (name === orgId ? silent : env.ORG.getByName(name));
  const request = new Request(`http://sluice.test/v1/admin/plans/${plan}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${operatorKey()}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const partly = { ...env, ORG: { getByName } } as unknown as Env;
  return worker.fetch(request as Parameters<typeof worker.fetch>[0], partly, createExecutionContext());
}

test("a plan change reaches all other orgs if one is unreachable, reports it, and reaches that org when repeated", async () => {
  const open = { runs_limit: null, tokens_limit: null, overage_policy: "block" };
  await setPlan("half", open);
  const orgs: Spender[] = [];
  for (let index = 0; index < 5; index += 1) orgs.push(await newSpender({ plan: "half" }));
  const limits = () =>
    Promise.all(orgs.map(async (org) => (await org.send("GET", "plan")).body.runs_limit as number | null));
  const answer = await withoutOrg(orgs[2]?.id ?? "", "half", { ...open, runs_limit: 7 });
  expect(answer.status).toBe(503);
  const { error } = (await answer.json()) as { error: { code: string; message: string } };
  expect(error).toMatchObject({ code: "service_unavailable", message: expect.stringContaining("1 ") });
  expect(await limits()).toEqual([7, 7, null, 7, 7]);
  const listed = await call("GET", "/v1/admin/plans", { key: operatorKey() });
  const half = { plan: "half", ...open, runs_limit: 7, alert_thresholds: [] };
  expect(listed.body.data).toContainEqual(half);
  expect((await setPlan("half", { ...open, runs_limit: 7 })).status).toBe(200);
  expect(await limits()).toEqual([7, 7, 7, 7, 7]);
});

test("plans are listed by name, in pages, like every other list", async () => {
  const terms = { runs_limit: null, tokens_limit: null, overage_policy: "allow" };
  const mine = ["page-a", "page-b", "page-c"];
  for (const plan of mine) await setPlan(plan, terms);
  const list = (query: string) => call("GET", `/v1/admin/plans${query}`, { key: operatorKey() });
  const names = ({ body }: { body: { data: { plan: string }[] } }) => body.data.map(({ plan }) => plan);
  const whole = names(await list("?limit=200"));
  expect(whole).toEqual(whole.toSorted());
  expect(names(await list(""))).toEqual(whole.slice(0, 50));
  expect(names(await list("?limit=200&sort=-plan"))).toEqual(whole.toReversed());
  for (const sort of ["plan", "-plan"]) {
    const seen: string[] = [];
    let cursor: string | null = "";
    for (let pages = 0; cursor !== null && pages < 100; pages += 1) {
      const page = await list(`?limit=2&sort=${sort}${cursor === "" ? "" : `&cursor=${cursor}`}`);
      expect(page.body.data.length).toBeLessThanOrEqual(2);
      seen.push(...names(page));
      cursor = page.body.next_cursor as string | null;
    }
    expect(seen).toEqual(sort === "plan" ? whole : whole.toReversed());
  }
  for (const [query, field] of [
    ["?sort=runs_limit", "sort"],
    ["?limit=0", "limit"],
    ["?cursor=x", "cursor"],
    ["?plan=standard", "plan"],
  ] as const) {
    const refused = await list(query);
    expect([refused.status, refused.body.error.details.fields[0].field]).toEqual([422, field]);
  }
});
