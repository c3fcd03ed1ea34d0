import { expect, test } from "vitest";
import { HOSTILE_METADATA, hostileExpressions } from "../domain/hostile-expressions.ts";
import { newSpender } from "../support/ledger.ts";

/** One of each family, in the real runtime and over real requests. */
const FAMILIES = 35;

test("a hostile rule is refused when written, or every run fails with policy_expression_error: none is allowed", async () => {
  const org = await newSpender();
  const ends: string[] = [];
  for (const when of hostileExpressions().slice(0, FAMILIES)) {
    const body = { target: "model", effect: "allow", when, reason: "hostile" };
    const made = await org.send("POST", "policy-rules", body);
    if (made.status !== 201) {
      const [field] = made.body.error.details.fields;
      ends.push(`${made.status} ${field.field} ${/^line \d+, column \d+: ./.test(field.message)}`);
      continue;
    }
    const run = await org.run({ metadata: HOSTILE_METADATA });
    ends.push(`${run.status} ${run.body.error.code} ${run.body.error.details.rule_id === made.body.id}`);
    await org.send("DELETE", `policy-rules/${made.body.id}`);
  }
  expect(new Set(ends)).toEqual(new Set(["422 when true", "500 policy_expression_error true"]));
  expect((await org.run()).status).toBe(201);
});
