import { describe, expect, test } from "vitest";
import { newSpender } from "../support/ledger.ts";
import { detailsOf, newBudget } from "../support/new-budget.ts";
import { call } from "../support/worker.ts";

describe("an increase of a budget", () => {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

  test("adds to the limit until its end, and then no more, without anyone's doing", async () => {
    const org = await newSpender();
    const { id } = await newBudget(org, {
      match: {},
      group_by: ["user_id"],
      limit_usd: "1",
      period: "total",
    });
    const spend = async (user_id: string, cost_usd: string) => (await org.run({ user_id, cost_usd })).status;
    expect([await spend("a", "1"), await spend("a", "0.5")]).toEqual([201, 402]);
    const path = `budgets/${id}/increases`;
    const made = await org.send("POST", path, { amount: "2", until: inHours(1), reason: "launch" });
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({ budget_id: id, amount: "2.00", reason: "launch", status: "active" }),
    ]);
    expect((await org.send("GET", `budgets/${id}`)).body).toMatchObject({ limit: "1.00", increase: "2.00" });
    expect([await spend("a", "2"), await spend("a", "0.5"), await spend("b", "3")]).toEqual([201, 402, 201]);
    expect((await org.send("PATCH", `budgets/${id}`, { name: "n" })).body.increase).toBe("2.00");
    expect(await spend("c", "0.5")).toBe(201);
    await org.advance(3601);
    expect((await org.send("GET", `budgets/${id}`)).body).toMatchObject({ limit: "1.00", increase: "0.00" });
    expect([await spend("a", "0.01"), await spend("c", "0.51"), await spend("c", "0.5")]).toEqual([
      402, 402, 201,
    ]);
    const decided = await org.decide("0.01", { user_id: "b" });
    expect(detailsOf(decided)).toMatchObject({ limit_usd: "1.00", spent_usd: "3.00", group: "b" });
    expect((await org.send("GET", path)).body.data.map((one: { status: string }) => one.status)).toEqual([
      "ended",
    ]);
  });

  test("is revoked, and refused where it is malformed, unknown or one too many", async () => {
    const org = await newSpender();
    const { id } = await newBudget(org, { scope_kind: "org", limit_usd: "1" });
    const path = `budgets/${id}/increases`;
    const usual = { amount: "1", until: inHours(1), reason: "r" };
    const bad: [string, object][] = [
      ["amount", { ...usual, amount: "0" }],
      ["amount", { ...usual, amount: "-1" }],
      ["amount", { ...usual, amount: 5 }],
      ["until", { ...usual, until: inHours(-1) }],
      ["until", { ...usual, until: inHours(24 * 367) }],
      ["reason", { ...usual, reason: "" }],
    ];
    for (const [field, body] of bad) {
      const { status, body: answer } = await org.send("POST", path, body);
      expect([field, status, answer.error?.details.fields[0].field]).toEqual([field, 422, field]);
    }
    const made = await org.send("POST", path, usual);
    const own = await org.send("GET", `${path}/${made.body.id}`);
    expect([own.status, own.body]).toEqual([200, made.body]);
    expect((await org.send("GET", `budgets/bud_none/increases/${made.body.id}`)).status).toBe(404);
    expect((await org.run({ cost_usd: "1.5" })).status).toBe(201);
    expect((await org.send("DELETE", `${path}/${made.body.id}`)).status).toBe(204);
    expect((await org.run({ cost_usd: "0.1" })).status).toBe(402);
    expect((await org.send("DELETE", `${path}/${made.body.id}`)).status).toBe(404);
    expect((await org.send("POST", "budgets/bud_none/increases", usual)).status).toBe(404);
    for (let at = 0; at < 20; at += 1) expect((await org.send("POST", path, usual)).status).toBe(201);
    expect((await org.send("POST", path, usual)).status).toBe(409);
    expect((await org.send("GET", path)).body.data).toHaveLength(20);
    const viewer = (await org.send("POST", "keys", { name: "v", role: "viewer" })).body.key as string;
    const url = `/v1/orgs/${org.id}/${path}`;
    expect((await call("POST", url, { key: viewer, body: usual })).status).toBe(403);
    expect((await call("GET", url, { key: viewer })).status).toBe(200);
    const stranger = await newSpender();
    expect((await call("GET", url, { key: stranger.key })).status).toBe(404);
    expect((await org.send("GET", `${path}/${made.body.id}`)).status).toBe(404);
  });

  test("of a budget in tokens is a number of tokens", async () => {
    const org = await newSpender();
    const fields = { match: {}, unit: "tokens", limit: 10, limit_usd: undefined };
    const { id } = await newBudget(org, fields);
    const increase = { amount: 20, until: inHours(1), reason: "r" };
    const made = await org.send("POST", `budgets/${id}/increases`, increase);
    expect(made.body.amount).toBe(20);
    expect([(await org.run({})).status, (await org.run({})).status, (await org.run({})).status]).toEqual([
      201, 201, 402,
    ]);
  });
});
