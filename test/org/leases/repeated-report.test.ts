import { expect, test } from "vitest";
import { CENT, newBudgeted } from "../../support/budgeted.ts";
import { lengthenLives } from "../../support/lives.ts";
import { rowsOf } from "../../support/rows.ts";

/** A report that is sent again because its answer was lost. */

/** What the object has on its books of the isolate's slices, in nano-dollars. */
async function leased(orgId: string): Promise<bigint> {
  const rows = await rowsOf<{ leased: string }>(orgId, "SELECT leased FROM usage");
  return rows.reduce((sum, row) => sum + BigInt(row.leased), 0n);
}

const nanosOf = (usd: string): bigint => BigInt(Math.round(Number(usd) * 1e9));

test("is counted once: what is reserved is what was held, and what the isolate still has", async () => {
  lengthenLives();
  const org = await newBudgeted();
  const isolate = await org.isolate();
  const reserved = async () => nanosOf((await org.budget()).reserved_usd);
  const expectEven = async (held: bigint) => {
    expect(await leased(org.id)).toBeGreaterThanOrEqual(isolate.left);
    expect(await reserved()).toBe(held + (await leased(org.id)));
  };
  for (let n = 0; n < 3; n += 1) expect(isolate.hold(CENT, Date.now())).not.toBeNull();
  await isolate.reportInVain();
  await expectEven(3n * CENT);
  await isolate.reportInVain();
  await expectEven(3n * CENT);
  expect(isolate.hold(CENT, Date.now())).not.toBeNull();
  await isolate.report();
  await expectEven(4n * CENT);
  await isolate.end();
  expect(await reserved()).toBe(4n * CENT);
  expect(await org.standing()).toBe(4);
});
