import { describe, expect, test } from "vitest";
import { messageGroupOf } from "../../../src/domain/message/message-group.ts";

const AT = Date.parse("2026-11-17T10:20:00Z");
const budget = {
  budget_id: "bud_1",
  period_start: "2026-11-01T00:00:00Z",
  period_end: "2026-12-01T00:00:00Z",
};

describe("messages are one", () => {
  test("for all counters of a limit in a window, whatever they spent", () => {
    const [one, other] = ["a", "b"].map((group) =>
      messageGroupOf("budget.exceeded", { ...budget, group, spent_usd: group === "a" ? "1" : "2" }, AT),
    );
    expect(one).not.toBeNull();
    expect(other).toEqual(one);
  });

  test("for each rule and detector in an hour", () => {
    const blocked = (rule: string, at: number) =>
      messageGroupOf("policy.blocked", { rule_id: rule, attempted: `${at}` }, at);
    expect(blocked("r1", AT)).toEqual(blocked("r1", AT + 30 * 60_000));
    expect(blocked("r1", AT)).not.toEqual(blocked("r1", AT + 40 * 60_000));
    expect(blocked("r1", AT)).not.toEqual(blocked("r2", AT));
    expect(messageGroupOf("run.recorded", { count: 1 }, AT)).toEqual(
      messageGroupOf("run.recorded", { count: 7 }, AT + 1),
    );
  });
});

describe("messages differ", () => {
  test("by the limit, by the window and by the threshold", () => {
    const folds = [
      messageGroupOf("budget.exceeded", budget, AT),
      messageGroupOf("budget.exceeded", { ...budget, budget_id: "bud_2" }, AT),
      messageGroupOf("budget.exceeded", { ...budget, period_end: "2027-01-01T00:00:00Z" }, AT),
      messageGroupOf("budget.threshold_crossed", { ...budget, threshold: "0.5" }, AT),
      messageGroupOf("budget.threshold_crossed", { ...budget, threshold: "0.8" }, AT),
    ].map((fold) => JSON.stringify(fold));
    expect(new Set(folds).size).toBe(5);
  });

  test("of what people must each act on", () => {
    for (const kind of ["policy.approval_requested", "key.created", "support.grant_opened"] as const) {
      expect(messageGroupOf(kind, { approval_id: "a", key_id: "k" }, AT)).toBeNull();
    }
  });

  test("a threshold gives way to the refusal of the same window, also of the daily cap", () => {
    const warned = messageGroupOf("budget.threshold_crossed", { ...budget, threshold: "1" }, AT);
    expect(warned?.key).toBe(messageGroupOf("budget.exceeded", budget, AT)?.key);
    const end = "2026-11-18T00:00:00+01:00";
    const cap = messageGroupOf("spend_cap.exceeded", { resets_at: end }, AT);
    const near = messageGroupOf(
      "spend_cap.threshold_crossed",
      { limit_id: "spend_cap", threshold: "1", period_end: new Date(end).toISOString() },
      AT,
    );
    expect(cap?.key).toBe(near?.key);
    expect(cap?.stage).not.toBe(near?.stage);
  });
});
