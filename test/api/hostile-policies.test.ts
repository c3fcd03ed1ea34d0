import { expect, test } from "vitest";
import { HOSTILE_METADATA, hostileExpressions } from "../domain/policy/hostile-expressions.ts";
import { newSpender } from "../support/ledger.ts";

/** One expression of each kind, in the real runtime and over real requests. */
const FAMILIES = 35;

/** The maximum size of a run. */
const metadata = {
  ...HOSTILE_METADATA,
  long: HOSTILE_METADATA.long.slice(0, 4000),
  huge: HOSTILE_METADATA.huge.slice(0, 8000),
};

test("a hostile rule is refused when written, fails with policy_expression_error, or ends within its bound", async () => {
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
    const run = await org.run({ metadata });
    const { error } = run.body;
    ends.push(
      run.status === 201 ? "201" : `${run.status} ${error.code} ${error.details.rule_id === made.body.id}`,
    );
    await org.send("DELETE", `policy-rules/${made.body.id}`);
  }
  expect(new Set(ends)).toEqual(new Set(["422 when true", "500 policy_expression_error true", "201"]));
  expect(ends.filter((end) => end === "201").length).toBeLessThanOrEqual(1);
  expect((await org.run()).status).toBe(201);
});
