import { expect, test } from "vitest";
import { CENT } from "../../support/budgeted.ts";
import { LeaseHolder } from "../../support/lease-holder.ts";
import { aRun, newSpender } from "../../support/ledger.ts";

test("runs that name nothing are charged where an isolate reserved for them", async () => {
  const org = await newSpender();
  const limits = { limit_usd: "100", period: "month" };
  const budget = await org.send("POST", "budgets", { scope_kind: "workflow", scope_id: "w", ...limits });
  const every = await org.send("POST", "customer-limits", { customer_id: "*", ...limits });
  const isolate = new LeaseHolder(org.id);
  await isolate.lease(CENT, { customer_id: "c", workflow_id: "w" });
  const ids = [1, 2, 3].map(() => isolate.hold(CENT, Date.now()) ?? "");
  await isolate.end();
  expect((await org.run({ reservation_id: ids[0], cost_usd: "0.02" })).status).toBe(201);
  const runs = ids.slice(1).map((reservation_id) => aRun({ reservation_id, cost_usd: "0.02" }));
  expect((await org.bulk(runs)).body.accepted).toBe(2);
  const standings = async () => {
    const { spent_usd, reserved_usd } = (await org.send("GET", `budgets/${budget.body.id}`)).body;
    const { limits: left } = (await org.decide("0", { customer_id: "c", dry_run: true })).body;
    return [spent_usd, reserved_usd, left];
  };
  const expected = ["0.06", "0.00", [{ kind: "customer_limit", id: every.body.id, available_usd: "99.94" }]];
  expect(await standings()).toEqual(expected);
  await org.send("PATCH", `budgets/${budget.body.id}`, { period: "year" });
  await org.send("PATCH", `customer-limits/${every.body.id}`, { period: "year" });
  expect(await standings()).toEqual(expected);
});
