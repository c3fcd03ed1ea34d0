import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { newSpender } from "../../support/ledger.ts";
import { env } from "../../support/worker.ts";

const LIMIT = { scope_kind: "org", limit_usd: "100000", period: "month", mode: "enforce" };
/** Too long for a slice, so that the object decides. */
const LONG = { hold_seconds: 3600, customer_id: "c" };

/** The statements that an org's object runs from now on. */
async function statementsOf(orgId: string) {
  const texts: string[] = [];
  await runInDurableObject(env.ORG.getByName(orgId), (_object, { storage: { sql } }) => {
    const exec = sql.exec.bind(sql);
    const noted = (...given: Parameters<typeof exec>) => {
      texts.push(given[0]);
      return exec(...given);
    };
    Object.defineProperty(sql, "exec", { value: noted });
  });
  return texts;
}

test("a decision of the object runs one statement, the one that stores it", async () => {
  const org = await newSpender();
  await org.send("POST", "budgets", LIMIT);
  for (const request_id of ["a", "b", "c"]) await org.decide("0.01", { ...LONG, request_id });
  const statements = await statementsOf(org.id);
  const ofEach: string[][] = [];
  for (const request_id of ["d", "e", "f", "g", "h"]) {
    const decided = await org.decide("0.01", { ...LONG, request_id });
    expect(decided.headers.get("x-svc-decided")).toBe("object");
    ofEach.push(statements.splice(0));
  }
  // Beside some of them, the object may do work of its own.
  const [fewest] = ofEach.toSorted((one, other) => one.length - other.length);
  expect(fewest).toEqual([expect.stringContaining("INTO journal")]);
});
