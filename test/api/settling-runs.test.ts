import { describe, expect, test } from "vitest";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { call } from "../support/worker.ts";

/** Runs that settle a reservation and name other scopes than it did, or none. */

const WAYS: Record<string, (org: Spender, run: object) => Promise<Charge[]>> = {
  "by itself": async (org, run) => {
    const answer = await org.run(run);
    expect(answer.status).toBe(201);
    return dollarsOf(answer.body.charges);
  },
  "in a batch": async (org, run) => {
    const answer = await org.bulk([aRun({ cost_usd: "0" }), aRun(run), aRun({ cost_usd: "0" })]);
    expect(answer.body.accepted).toBe(3);
    const { id } = answer.body.results[1];
    return dollarsOf((await call("GET", `/v1/runs/${id}`, { key: org.key })).body.charges);
  },
};

interface Charge {
  readonly kind: string;
  readonly id: string;
  readonly amount_usd: string;
}

function dollarsOf(charges: readonly Charge[]): Charge[] {
  return charges.filter(({ kind }) => !kind.startsWith("plan_"));
}

async function limitOf(org: Spender, customer_id: string, limit_usd = "10"): Promise<string> {
  const made = await org.send("POST", "customer-limits", { customer_id, limit_usd, period: "month" });
  return `customer-limits/${made.body.id}`;
}

async function budgetOf(org: Spender, workflow: string | null): Promise<string> {
  const scope = workflow === null ? { scope_kind: "org" } : { scope_kind: "workflow", scope_id: workflow };
  const made = await org.send("POST", "budgets", { ...scope, limit_usd: "10", period: "month" });
  return `budgets/${made.body.id}`;
}

const idIn = (path: string) => path.split("/")[1] ?? "";

async function amountsOf(org: Spender, path: string): Promise<[spent: string, reserved: string]> {
  const { body } = await org.send("GET", path);
  return [body.spent_usd, body.reserved_usd];
}

/** What is left for a customer of the limit that applies to it. */
async function leftOf(org: Spender, customer_id: string): Promise<string> {
  return (await org.decide("0", { customer_id, dry_run: true })).body.limits[0].available_usd;
}

describe.each(Object.entries(WAYS))("a run that settles a reservation, sent %s,", (_way, settle) => {
  test("and names nothing is charged once to each limit of the reservation", async () => {
    const org = await newSpender();
    const paths = [await budgetOf(org, null), await budgetOf(org, "w1"), await limitOf(org, "c1")];
    const held = await org.decide("4", { customer_id: "c1", workflow_id: "w1" });
    const charges = await settle(org, { reservation_id: held.body.reservation.id, cost_usd: "3" });
    expect(charges.map(({ id }) => id).toSorted()).toEqual(paths.map(idIn).toSorted());
    expect(charges.map(({ amount_usd }) => amount_usd)).toEqual(["3.00", "3.00", "3.00"]);
    for (const path of paths) {
      expect(await amountsOf(org, path)).toEqual(["3.00", "0.00"]);
      await org.send("PATCH", path, { period: "year" });
      expect(await amountsOf(org, path)).toEqual(["3.00", "0.00"]);
    }
  });

  test("and names others is charged to the limits of both, even after it expired", async () => {
    const org = await newSpender();
    const paths = [await budgetOf(org, "w1"), await limitOf(org, "c1")];
    paths.push(await budgetOf(org, "w2"), await limitOf(org, "c2"));
    const held = await org.decide("4", { customer_id: "c1", workflow_id: "w1", hold_seconds: 60 });
    await org.advance(61);
    const run = { customer_id: "c2", workflow_id: "w2", cost_usd: "3" };
    const charges = await settle(org, { ...run, reservation_id: held.body.reservation.id });
    expect(charges.map(({ id }) => id).toSorted()).toEqual(paths.map(idIn).toSorted());
    for (const path of paths) {
      await org.send("PATCH", path, { period: "year" });
      expect(await amountsOf(org, path)).toEqual(["3.00", "0.00"]);
    }
  });

  test.each([{}, { customer_id: "c2" }])(
    "and says %j is charged to the customer that it was reserved for",
    async (named) => {
      const org = await newSpender();
      const every = await limitOf(org, "*");
      const held = await org.decide("4", { customer_id: "c1" });
      const reservation_id = held.body.reservation.id;
      const charges = await settle(org, { ...named, reservation_id, cost_usd: "3" });
      expect(charges).toEqual([{ kind: "customer_limit", id: idIn(every), amount_usd: "3.00" }]);
      expect([await leftOf(org, "c1"), await leftOf(org, "c2")]).toEqual(["7.00", "10.00"]);
      await org.send("PATCH", every, { period: "year" });
      expect([await leftOf(org, "c1"), await leftOf(org, "c2")]).toEqual(["7.00", "10.00"]);
    },
  );

  test("and names no customer draws on the packs of the one that it was reserved for", async () => {
    const org = await newSpender();
    const pack = await org.send("POST", "credit-packs", { customer_id: "c1", amount_usd: "5" });
    const held = await org.decide("4", { customer_id: "c1" });
    const charges = await settle(org, { reservation_id: held.body.reservation.id, cost_usd: "3" });
    expect(charges).toEqual([{ kind: "credit_pack", id: pack.body.id, amount_usd: "3.00" }]);
  });

  test("goes past a limit that its own fields touch and is not refused", async () => {
    const org = await newSpender();
    const other = await limitOf(org, "c2", "1");
    const held = await org.decide("4", { customer_id: "c1" });
    const run = { customer_id: "c2", reservation_id: held.body.reservation.id, cost_usd: "3" };
    expect(await settle(org, run)).toMatchObject([{ id: idIn(other), over_usd: "2.00" }]);
  });
});

describe("a limit created while a reservation is open", () => {
  const month = { limit_usd: "10", period: "month" };
  const LIMITS: Record<string, (org: Spender) => Promise<string>> = {
    budget: async (org) => {
      const made = await org.send("POST", "budgets", { scope_kind: "org", ...month });
      return `budgets/${made.body.id}`;
    },
    "customer limit": async (org) => {
      const made = await org.send("POST", "customer-limits", { customer_id: "c", ...month });
      return `customer-limits/${made.body.id}`;
    },
    "spend cap": async (org) => {
      await org.send("PUT", "spend-cap", { cap_usd: "10" });
      return "spend-cap";
    },
    quota: async (org) => {
      await org.operate("PUT", "/v1/orgs/{org}/quota", {});
      await org.operate("POST", "/v1/orgs/{org}/quota/top-ups", { amount_usd: "10" });
      return "quota";
    },
  };
  const CHANGES: Record<string, object> = {
    "spend-cap": { cap_usd: "10", timezone: "Asia/Kolkata" },
    quota: {},
  };

  /** All of its ten dollars are available, and still are after a recount. */
  async function isUntouched(org: Spender, path: string): Promise<void> {
    const left = async () => (await org.send("GET", path)).body.available_usd;
    expect(await left()).toBe("10.00");
    if (path === "quota") return;
    const isPut = path === "spend-cap";
    await org.send(isPut ? "PUT" : "PATCH", path, CHANGES[path] ?? { period: "year" });
    expect(await left()).toBe("10.00");
  }

  test.each(Object.entries(LIMITS))("a %s counts neither it nor its run", async (_kind, make) => {
    const org = await newSpender();
    const held = await org.decide("50", { customer_id: "c" });
    await org.advance(1);
    const path = await make(org);
    await isUntouched(org, path);
    const run = { customer_id: "c", reservation_id: held.body.reservation.id, cost_usd: "50" };
    const answer = await org.run(run);
    expect(answer.status).toBe(201);
    expect(dollarsOf(answer.body.charges)).toEqual([]);
    await isUntouched(org, path);
    expect((await org.run({ customer_id: "c", cost_usd: "10" })).status).toBe(201);
    expect((await org.run({ customer_id: "c" })).status).toBe(402);
  });

  test.each(Object.entries(LIMITS))(
    "a %s that was deleted and recreated counts neither it nor its run",
    async (_kind, make) => {
      const org = await newSpender();
      const before = await make(org);
      const held = await org.decide("5", { customer_id: "c" });
      expect((await org.send("GET", before)).body.reserved_usd).toBe("5.00");
      await org.operate("DELETE", `/v1/orgs/{org}/${before}`);
      await org.send("DELETE", before);
      await org.advance(1);
      const path = await make(org);
      await isUntouched(org, path);
      const runs = [aRun({ customer_id: "c", reservation_id: held.body.reservation.id, cost_usd: "5" })];
      expect((await org.bulk([...runs, aRun({ cost_usd: "0" })])).body.accepted).toBe(2);
      await isUntouched(org, path);
    },
  );
});

test("runs of one batch that say the same are each charged to the limits of their own reservation", async () => {
  const org = await newSpender();
  const [all, one, other] = [await budgetOf(org, null), await budgetOf(org, "w1"), await budgetOf(org, "w2")];
  const asked = [{ workflow_id: "w1" }, { workflow_id: "w2" }, {}, { workflow_id: "w1" }];
  const held = await Promise.all(asked.map((names) => org.decide("1", names)));
  const runs = held.map(({ body }, at) =>
    aRun({ reservation_id: body.reservation.id, cost_usd: `0.${at + 1}` }),
  );
  expect((await org.bulk(runs)).body.accepted).toBe(4);
  expect(await amountsOf(org, all)).toEqual(["1.00", "0.00"]);
  expect(await amountsOf(org, one)).toEqual(["0.50", "0.00"]);
  expect(await amountsOf(org, other)).toEqual(["0.20", "0.00"]);
});
