import { expect, test } from "vitest";
import { newId } from "../../../src/domain/bytes/ulid.ts";
import type { ReportedHolds } from "../../../src/gate/report/limit-set-line.ts";
import { idOf, holdLine } from "../../../src/gate/report/hold-line.ts";
import { writeAsk } from "../../../src/gate/lease/wire.ts";
import { HELD_MS, LeaseHolder } from "../../support/lease-holder.ts";
import { holdsOf } from "../../support/holds.ts";
import { call, env, newOrg, type TestOrg } from "../../support/worker.ts";

/** Holds that isolates report, by the names of their requests. */

const CENT = 10_000_000n;

async function opened(): Promise<{ org: TestOrg; reserved: () => Promise<string> }> {
  const org = await newOrg();
  const path = `/v1/orgs/${org.id}/budgets`;
  const body = { scope_kind: "org", limit_usd: "100", period: "month", mode: "enforce" };
  const { id } = (await call("POST", path, { key: org.ownerKey, body })).body;
  return {
    org,
    reserved: async () => (await call("GET", `${path}/${id}`, { key: org.ownerKey })).body.reserved_usd,
  };
}

async function isolateOf(org: TestOrg): Promise<LeaseHolder> {
  const isolate = new LeaseHolder(org.id);
  await isolate.lease(CENT);
  return isolate;
}

function nameOf(): string {
  return newId("dec", Date.now()).slice(4);
}

async function release(org: TestOrg, name: string): Promise<void> {
  const released = await call("DELETE", `/v1/edge/decision/rsv_${name}`, { key: org.ownerKey });
  expect(released.status).toBe(204);
}

async function kept(org: TestOrg, name: string) {
  const holds = await holdsOf(org.id, ({ id }) => id === `rsv_${name}`);
  return holds.map(({ status, amount, expires_at }) => ({ status, amount, expires_at }));
}

test("a request that two isolates allowed is held once", async () => {
  const { org, reserved } = await opened();
  const name = nameOf();
  const isolates = [await isolateOf(org), await isolateOf(org)];
  const now = Date.now();
  for (const [index, isolate] of isolates.entries()) isolate.hold(CENT, now + index, name);
  for (const isolate of isolates) await isolate.end();
  expect(await kept(org, name)).toEqual([
    { status: "open", amount: String(CENT), expires_at: now + 1 + HELD_MS },
  ]);
  expect(await reserved()).toBe("0.01");
});

test("a request that occurs twice in one report is held once, until the later end", async () => {
  const { org, reserved } = await opened();
  const name = nameOf();
  const isolate = await isolateOf(org);
  const now = Date.now();
  isolate.hold(CENT, now, name);
  isolate.hold(CENT, now + 40, name);
  await isolate.end();
  expect(await kept(org, name)).toEqual([
    { status: "open", amount: String(CENT), expires_at: now + 40 + HELD_MS },
  ]);
  expect(await reserved()).toBe("0.01");
});

test("a request of any customer is held once, if customers make no difference to an isolate", async () => {
  const { org, reserved } = await opened();
  const body = { request_id: "q", customer_id: "c", estimate: { cost_usd: "0.01" }, hold_seconds: 3600 };
  const { reservation } = (await call("POST", "/v1/edge/decision", { key: org.ownerKey, body })).body;
  const isolate = await isolateOf(org);
  isolate.hold(CENT, Date.now(), reservation.id.slice("rsv_".length));
  await isolate.end();
  expect(await reserved()).toBe("0.01");
});

test("holds of several customers in one report are kept separately", async () => {
  const { org } = await opened();
  const now = Date.now();
  const lines = Array.from({ length: 3 }, () =>
    holdLine({ id: newId("rsv", now), at: now, expiresAt: now + HELD_MS, nanos: CENT }),
  );
  const [one = "", other = "", last = ""] = lines;
  const touches = ["a", "b"].map((customer) => ({
    keys: [],
    meters: "m",
    customer,
    keyId: "key_A",
    rates: [],
  }));
  const holds: ReportedHolds[] = [
    [0, [one], []],
    [1, [other], [last]],
  ];
  const batches = [{ number: 1, used: new Map<string, bigint>(), holds }];
  const ask = { holder: "isolate", attempt: 1, batches, wants: new Map() };
  await env.ORG.getByName(org.id).syncLeases(
    writeAsk({ ask, touches, watch: [], lagMs: 0, heard: null, refusals: null }),
  );
  const rows = await holdsOf(org.id);
  expect(rows.map(({ id, meters, customer_id }) => ({ id, meters, customer_id }))).toEqual([
    { id: idOf(one), meters: "m", customer_id: "a" },
    { id: idOf(other), meters: "m", customer_id: "b" },
    { id: idOf(last), meters: "m", customer_id: "b" },
  ]);
});

test("another fingerprint under the same name is held too, under its own name", async () => {
  const { org, reserved } = await opened();
  const name = nameOf();
  const isolate = await isolateOf(org);
  isolate.hold(CENT, Date.now(), name);
  isolate.hold(2n * CENT, Date.now(), name);
  await isolate.end();
  expect(await kept(org, name)).toMatchObject([{ status: "open", amount: String(CENT) }]);
  expect(await reserved()).toBe("0.03");
});

test("a request whose hold was released is held again, in place of the old one", async () => {
  const { org, reserved } = await opened();
  const name = nameOf();
  const before = await isolateOf(org);
  before.hold(CENT, Date.now(), name);
  await before.end();
  await release(org, name);
  expect(await reserved()).toBe("0.00");
  const after = await isolateOf(org);
  after.hold(2n * CENT, Date.now(), name);
  await after.end();
  expect(await kept(org, name)).toMatchObject([{ status: "open", amount: String(2n * CENT) }]);
  expect(await reserved()).toBe("0.02");
});

test("names with the same ending are distinguished", async () => {
  const { org, reserved } = await opened();
  const one = nameOf();
  const other = `${nameOf().slice(0, 20)}${one.slice(20)}`;
  const isolate = await isolateOf(org);
  isolate.hold(CENT, Date.now(), one);
  isolate.hold(2n * CENT, Date.now(), other);
  await isolate.end();
  expect(await kept(org, one)).toHaveLength(1);
  expect(await kept(org, other)).toHaveLength(1);
  await release(org, one);
  expect(await reserved()).toBe("0.02");
});
