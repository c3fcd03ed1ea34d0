import { runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../src/contract/durations.ts";
import type { Account } from "../../../src/domain/meter/meter.ts";
import { selectSettledAccounts } from "../../../src/domain/meter/settlement.ts";
import type { MeterRow } from "../../../src/org/meters/store.ts";
import { type ChargeRequest, UnitOfWork } from "../../../src/org/ledger/unit-of-work.ts";
import { call, env, newOrg } from "../../support/worker.ts";

/** Around the time at which the limits were made, and over several windows of each. */
const offset = fc.oneof(
  fc.integer({ min: -2, max: 2 }),
  fc.constantFrom(HOUR_MS, HOUR_MS + 1),
  fc.integer({ min: -40 * 24, max: 40 * 24 }).map((hours) => hours * HOUR_MS),
);
const asked = fc.record({
  offset,
  customer: fc.constantFrom(undefined, "c1", "c2"),
  workflow: fc.constantFrom(undefined, "w1"),
  chain: fc.constantFrom(undefined, undefined, undefined, "ch1", "ch2"),
  group: fc.constantFrom(undefined, undefined, "g1", "g2"),
});

async function limitedOrg(): Promise<string> {
  const { id: orgId, ownerKey: key } = await newOrg();
  const at = `/v1/orgs/${orgId}`;
  const made = async (path: string, body: object, method = "POST") => {
    const { status } = await call(method, at + path, { key, body });
    expect(status).toBeLessThan(300);
  };
  await made("/budgets", { scope_kind: "org", limit_usd: "9", period: "month", mode: "enforce" });
  await made("/budgets", {
    scope_kind: "workflow",
    scope_id: "w1",
    limit_usd: "9",
    period: "week",
    mode: "enforce",
  });
  await made("/customer-limits", { customer_id: "*", limit_usd: "9", period: "day" });
  await made("/customer-limits", { customer_id: "c1", limit_usd: "9", period: "month" });
  await made("/spend-cap", { cap_usd: "9", timezone: "Pacific/Apia" }, "PUT");
  await made("/chain-budget", { max_cost_usd: "9" }, "PUT");
  await made("/budgets", {
    match: {},
    group_by: ["user_id"],
    limit_usd: "9",
    period: "day",
    mode: "enforce",
  });
  return orgId;
}

function told(accounts: readonly Account[]) {
  return accounts.map(({ meter, subject, window }) => `${meter.id} ${subject} ${window.startMs}`);
}

test("a work finds for each of many asks and holds the counters that it would find for it alone", async () => {
  const orgId = await limitedOrg();
  const stub = env.ORG.getByName(orgId);
  await runInDurableObject(stub, (_object, { storage: { sql } }) => {
    const rows = sql.exec<MeterRow>("SELECT * FROM meters ORDER BY since").toArray();
    // A run may touch more limits than its hold.
    const isHeld = ({ extra, scope_kind: kind, scope_id: name }: (typeof rows)[number]) =>
      kind === "org" || name === "*" || kind === "chain" || extra.includes("user_id");
    const ids = [...rows.filter(isHeld), { id: "budget_gone" }].map(({ id }) => id).join(" ");
    const grouped = rows.find(({ extra }) => extra.includes("user_id"))?.id ?? "";
    const madeAt = rows.map(({ since }) => since);
    const now = Math.max(...madeAt) + DAY_MS;
    const asks = fc.array(fc.tuple(asked, fc.nat(madeAt.length - 1)), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(asks, (given) => {
        const all = given.map(([one, which]): ChargeRequest => {
          const { customer, workflow, chain } = one;
          return { scopes: { customer, workflow, chain }, atMs: (madeAt[which] ?? now) + one.offset };
        });
        const work = new UnitOfWork(sql, "run", now);
        const lists = work.load(all);
        const entries = new Map<string, Account>();
        const isOne = (account: Account) => {
          const [name = ""] = told([account]);
          expect(entries.get(name) ?? account).toBe(account);
          entries.set(name, account);
        };
        const charged = new Map<readonly Account[], Map<readonly Account[], readonly string[]>>();
        for (const [index, ask] of all.entries()) {
          const alone = new UnitOfWork(sql, "run", now);
          const [list = [], { customer, chain }] = [lists[index], ask.scopes];
          const group = given[index]?.[0].group;
          const groups = group === undefined ? undefined : { [grouped]: group };
          const whose = { customer, chain, groups };
          expect(told(list)).toEqual(told(alone.accounts(ask)));
          const standing = work.standing(ids, whose, ask.atMs);
          expect(told(standing)).toEqual(told(alone.standing(ids, whose, ask.atMs)));
          for (const account of [...list, ...standing]) isOne(account);
          // The two lists say what a run is charged to, at whatever time of both.
          const settled = told(selectSettledAccounts(list, { atMs: ask.atMs, phase: "decision", standing }));
          expect(settled).toEqual(charged.get(list)?.get(standing) ?? settled);
          charged.set(list, (charged.get(list) ?? new Map()).set(standing, settled));
        }
      }),
      { numRuns: 100 },
    );
  });
});
