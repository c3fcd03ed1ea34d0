import { expect, test } from "vitest";
import { FallbackRules } from "../../src/client/gate/fallback-rules.ts";
import type { FallbackRule } from "../../src/client/generated/types.ts";

const FACTS = {
  version: "1",
  by: ["model" as const, "customer_id" as const, "key_id" as const],
  shares: true,
};
const RULE: FallbackRule = { name: "a", then: [], on: [], begins: false };

function rulesWith(answers: (FallbackRule[] | Error)[]) {
  const asked: object[] = [];
  const clock = { now: 0 };
  const rules = new FallbackRules(
    async (question) => {
      asked.push(question);
      const answer = answers.shift() ?? [RULE];
      if (answer instanceof Error) throw answer;
      return answer;
    },
    () => clock.now,
  );
  return { rules, asked, clock };
}

test("calls that no rule tells apart share an answer, and only what rules look at is sent", async () => {
  const { rules, asked } = rulesWith([]);
  await rules.get(FACTS, { model: "m", customer_id: "c", user_id: "u1" });
  await rules.get(FACTS, { model: "m", customer_id: "c", user_id: "u2" });
  await rules.get(FACTS, { model: "m", customer_id: "d" });
  expect(asked).toEqual([
    { model: "m", customer_id: "c" },
    { model: "m", customer_id: "d" },
  ]);
  expect(await rules.get(FACTS, {})).toEqual([]);
});

test("rules that have changed are not used", async () => {
  const { rules, asked } = rulesWith([[RULE], []]);
  await rules.get(FACTS, { model: "m" });
  expect(await rules.get({ ...FACTS, version: "2" }, { model: "m" })).toEqual([]);
  expect(asked.length).toBe(2);
});

test("an answer is renewed behind calls after 5 s where shares matter, and not used after a minute", async () => {
  const { rules, asked, clock } = rulesWith([[RULE], []]);
  await rules.get(FACTS, { model: "m" });
  clock.now = 4999;
  await rules.get(FACTS, { model: "m" });
  expect(asked.length).toBe(1);
  clock.now = 5000;
  expect(await rules.get(FACTS, { model: "m" })).toEqual([RULE]);
  expect(asked.length).toBe(2);
  await Promise.resolve();
  expect(await rules.get(FACTS, { model: "m" })).toEqual([]);
  const plain = { ...FACTS, shares: false };
  clock.now += 59_999;
  await rules.get(plain, { model: "m" });
  expect(asked.length).toBe(2);
  clock.now += 1;
  await rules.get(plain, { model: "m" });
  expect(asked.length).toBe(3);
});

test("a failure is not kept", async () => {
  const { rules, asked } = rulesWith([new Error("away"), [RULE]]);
  await expect(rules.get(FACTS, { model: "m" })).rejects.toThrow("away");
  expect(await rules.get(FACTS, { model: "m" })).toEqual([RULE]);
  expect(asked.length).toBe(2);
});
