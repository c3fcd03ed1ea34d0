import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compile } from "../../../src/domain/policy/compile.ts";
import type { Attempt } from "../../../src/domain/policy/attempt.ts";
import {
  explain,
  judge,
  type PolicyRule,
  policySet as setOf,
  judgeShadowRules,
} from "../../../src/domain/policy/policy.ts";
import { EFFECTS } from "../../../src/contract/lists.ts";
import { HOSTILE_METADATA, hostileExpressions } from "./hostile-expressions.ts";

const policySet = (rules: Parameters<typeof setOf>[0]) => setOf(rules, compile);

const PLACED = /^line \d+, column \d+: ./;
const NOW = Date.UTC(2026, 6, 22, 9, 30);

const ATTEMPT: Attempt = {
  model: "acme/m1",
  action: "deploy",
  customer_id: "cus_1",
  run: {
    model: "acme/m1",
    action: "deploy",
    cost_usd: 12.5,
    usage: { input_tokens: 100, output_tokens: 20 },
  },
  estimate: { costUsd: 12.5, inputTokens: 100, maxOutputTokens: 20 },
};

let made = 0;
function rule(overrides: Partial<PolicyRule>): PolicyRule {
  made += 1;
  return {
    id: `rule_${String(made).padStart(4, "0")}`,
    target: "model",
    effect: "deny",
    when: "true",
    reason: "because",
    priority: 0,
    mode: "enforce",
    ...overrides,
  };
}

function verdictOf(when: string, attempt: Attempt = ATTEMPT): string {
  return judge(policySet([rule({ when })]), attempt, NOW).verdict;
}

/** Refused with a position, failed under every effect, or the expression itself if it decided something. */
function endOf(when: string, attempt: Attempt): string {
  const compiled = compile(when);
  if ("problem" in compiled)
    return PLACED.test(compiled.problem) ? "refused" : `no place: ${compiled.problem}`;
  const verdicts = EFFECTS.map((effect) => judge(policySet([rule({ when, effect })]), attempt, NOW).verdict);
  return verdicts.every((verdict) => verdict === "error") ? "failed" : `decided ${JSON.stringify(when)}`;
}

describe("what a rule can say", () => {
  test.each([
    `model == "acme/m1"`,
    `model.startsWith("acme/") && action in ["deploy", "delete"]`,
    `customer_id == "cus_1" && estimate.cost_usd > 10`,
    `estimate.cost_usd > 10.25 && estimate.input_tokens + estimate.max_output_tokens == 120`,
    `run.usage.input_tokens >= 100`,
    `run.cost_usd > 12`,
    `now.getFullYear() == 2026 && now.getHours("Europe/Paris") == 11`,
    `now > timestamp("2026-01-01T00:00:00Z")`,
    `!has(run.metadata.team)`,
    `model.matches("^acme/m[0-9]+$")`,
    `["acme/m1", "acme/m2"].exists(m, m == model)`,
    `[1, 2, 3].map(x, x * 2).filter(x, x > 2) == [4, 6]`,
    `{"acme/m1": 10.0}[model] < estimate.cost_usd`,
    `size(model) == 7 ? true : false`,
    `"acme" + "/m1" == model`,
    `type(model) == string`,
    `[[1, 2], [3]].exists_one(l, l.size() == 1)`,
  ])("%s matches", (when) => {
    expect(compile(when)).not.toHaveProperty("problem");
    expect(verdictOf(when)).toBe("deny");
  });

  test.each([`model == "other"`, `has(run.metadata.team) && run.metadata.team == "x"`, `action == ""`])(
    "%s does not",
    (when) => expect(verdictOf(when)).toBe("allow"),
  );

  test("an absent action is the empty string, and a rule about actions does not apply", () => {
    const { action: _, ...silent } = ATTEMPT;
    expect(verdictOf(`action == ""`, silent)).toBe("deny");
    expect(judge(policySet([rule({ target: "action" })]), silent, NOW).verdict).toBe("allow");
  });

  test("metadata cannot be mistaken for another type", () => {
    const metadata = { $typeName: "google.protobuf.Value", constructor: "x", __proto__: null };
    const attempt = { ...ATTEMPT, run: { metadata } };
    expect(verdictOf(`run.metadata.constructor == "x" && size(run.metadata) == 2`, attempt)).toBe("deny");
  });
});

describe("what decides", () => {
  test("deny takes precedence over require_approval, and that over allow, in any priority and order", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ effect: fc.constantFrom(...EFFECTS), priority: fc.integer({ min: -50, max: 50 }) }),
          {
            minLength: 1,
            maxLength: 8,
          },
        ),
        (given) => {
          const heaviest = EFFECTS.find((effect) => given.some((one) => one.effect === effect));
          expect(judge(policySet(given.map(rule)), ATTEMPT, NOW).verdict).toBe(heaviest);
        },
      ),
    );
  });

  test("among rules with one effect, the highest priority is named, then the oldest", () => {
    const rules = [rule({ priority: 1 }), rule({ priority: 9, reason: "first" }), rule({ priority: 9 })];
    expect(judge(policySet(rules.toReversed()), ATTEMPT, NOW)).toEqual({
      verdict: "deny",
      ruleId: rules[1]?.id,
      reason: "first",
      attempted: "acme/m1",
    });
  });

  test("an approval lifts its own rule and no other", () => {
    const rules = [rule({ effect: "require_approval" }), rule({ effect: "require_approval" })];
    const [first, second] = rules;
    const set = policySet(rules);
    expect(judge(set, ATTEMPT, NOW, { isApproved: (id) => id === first?.id })).toMatchObject({
      ruleId: second?.id,
    });
    expect(judge(set, ATTEMPT, NOW, { isApproved: () => true })).toEqual({ verdict: "allow" });
    expect(judge(policySet([...rules, rule({})]), ATTEMPT, NOW, { isApproved: () => true }).verdict).toBe(
      "deny",
    );
  });

  test("a rule about actions names the action", () => {
    const set = policySet([rule({ target: "action", effect: "require_approval" })]);
    expect(judge(set, ATTEMPT, NOW)).toMatchObject({ verdict: "require_approval", attempted: "deploy" });
  });

  test("a shadow rule decides nothing and is reported", () => {
    const watching = rule({ mode: "shadow" });
    const broken = rule({ mode: "shadow", when: "1 / 0 == 0" });
    const set = policySet([watching, broken]);
    expect(judge(set, ATTEMPT, NOW)).toEqual({ verdict: "allow" });
    expect(judgeShadowRules(set, ATTEMPT, NOW)).toEqual({ matched: [watching], failed: [broken] });
    expect(explain(set, ATTEMPT, NOW).results.map((one) => one.result)).toEqual(["matched", "error"]);
  });

  test("no rules allow", () => {
    expect(judge(policySet([]), ATTEMPT, NOW)).toEqual({ verdict: "allow" });
  });
});

describe("hostile expressions", () => {
  const attempt = { ...ATTEMPT, run: { metadata: HOSTILE_METADATA } };

  test("a thousand expressions are each refused at a position or end in an evaluation error; none allows", () => {
    const sources = hostileExpressions();
    expect(new Set(sources).size).toBeGreaterThanOrEqual(1_000);
    const ends = sources.map((when) => endOf(when, attempt));
    expect(ends.filter((end) => end !== "refused" && end !== "failed")).toEqual([]);
    expect(ends.filter((end) => end === "failed").length).toBeGreaterThan(100);
    expect(ends.filter((end) => end === "refused").length).toBeGreaterThan(100);
  });

  test("an error that a later `|| true` would hide still ends the evaluation when the budget is spent", () => {
    expect(verdictOf(`run.metadata.long.all(x, run.metadata.long == []) || true`, attempt)).toBe("error");
  });

  test("all rules together cost a run at most its allowance, and the rule that would exceed it fails", () => {
    const dear = `[${Array.from({ length: 300 }, (_, i) => i).join(",")}].exists(x, x < 0)`;
    const set = policySet(Array.from({ length: 200 }, () => rule({ when: dear })));
    const allowance = { left: 20_000 };
    expect(judge(set, ATTEMPT, NOW, { allowance }).verdict).toBe("error");
    expect(allowance.left).toBeLessThan(3_000);
    expect(judge(policySet([rule({ when: dear })]), ATTEMPT, NOW).verdict).toBe("allow");
    expect(judge(policySet([rule({})]), ATTEMPT, NOW, { allowance: { left: 0 } }).verdict).toBe("error");
  });

  test("no random text throws, when written or when evaluated", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ maxLength: 60 }), fc.stringMatching(/^[a-z.()[\]{}!=<>&|+*/'"0-9 ]{0,40}$/)),
        (when) => {
          expect(endOf(when, attempt)).toMatch(/^(refused|failed|decided .*)$/);
        },
      ),
    );
  });
});

describe("a problem points to its position", () => {
  test.each([
    [`model == "a" &&\n  modle == "b"`, "line 2, column 3"],
    [`true && size(1, 2) > 0`, "line 1, column 9"],
    [`model.matches("(a")`, "line 1, column 15"],
    [`1 + 1`, "line 1"],
    [``, "line 1, column 1"],
  ])("%s", (source, at) => {
    expect(compile(source)).toMatchObject({ problem: expect.stringContaining(at) });
  });
});
