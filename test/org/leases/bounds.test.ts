import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { accountKey } from "../../../src/gate/decision/account-key.ts";
import { LeaseClient } from "../../../src/gate/lease/lease-client.ts";
import { holdLine } from "../../../src/gate/report/hold-line.ts";
import type { ReportedHolds } from "../../../src/gate/report/limit-set-line.ts";
import { readReply, writeAsk } from "../../../src/gate/lease/wire.ts";
import type { OrgObject } from "../../../src/org/object.ts";
import { OPERATOR } from "../../support/backup.ts";
import { CENT, newBudgeted } from "../../support/budgeted.ts";
import { LeaseHolder } from "../../support/lease-holder.ts";
import { newSpender } from "../../support/ledger.ts";
import { lengthenLives } from "../../support/lives.ts";
import { rowsOf } from "../../support/rows.ts";
import { env } from "../../support/worker.ts";
import { ReservationIds } from "../../../src/domain/reservation/reservation-id.ts";
import { evict } from "../../support/evict.ts";

/** What bounds a slice, and what is counted of it whatever becomes of its isolate. */

test("while an org is about to move, isolates get no slices", async () => {
  lengthenLives();
  const org = await newBudgeted();
  await org.isolate();
  const object = env.ORG.getByName(org.id);
  await runInDurableObject(object, (instance: OrgObject) => {
    const opened = instance.beginMove("us", OPERATOR);
    if (!("kind" in opened) || opened.kind !== "opened") throw new Error("it does not move");
    // It waits for the end of the slices that there are.
    const copied = { archiveId: opened.archiveId, isArchiveCopied: false };
    void instance.freezeMove("us", copied, OPERATOR).catch(() => undefined);
  });
  const late = new LeaseHolder(org.id);
  await late.lease(CENT);
  expect(late.left).toBe(0n);
  await runInDurableObject(object, (_, state) => state.abort("evicted")).catch(() => undefined);
});

test("a slice does not outlive a temporary increase of its limit", async () => {
  lengthenLives();
  const org = await newSpender();
  const body = { scope_kind: "org", limit_usd: "1", period: "month", mode: "enforce" };
  const { id } = (await org.send("POST", "budgets", body)).body;
  const until = Date.now() + 90_000;
  const increase = { amount: "100", until: new Date(until).toISOString(), reason: "launch" };
  expect((await org.send("POST", `budgets/${id}/increases`, increase)).status).toBe(201);
  const isolate = new LeaseHolder(org.id);
  await isolate.lease(CENT);
  expect(isolate.left).toBeGreaterThan(0n);
  expect(isolate.usableUntil).toBeLessThanOrEqual(until);
});

test("a report of more than is leased is counted in full: it was held", async () => {
  const org = await newBudgeted();
  const object = env.ORG.getByName(org.id);
  const ask = { estimate: { cost_usd: "0" }, dry_run: true };
  const verdict = await object.decide({
    ask,
    keyId: "key",
    wantsPlan: true,
    envelope: OPERATOR,
    report: null,
  });
  const [account] = verdict?.decisionPlan?.accounts ?? [];
  if (account === undefined) throw new Error("the budget was not shown");
  const [key, now, nanos] = [accountKey(account), Date.now(), 5n * CENT];
  const line = holdLine({ id: org.ids.newId(now), at: now, expiresAt: now + 900_000, nanos });
  const holds: ReportedHolds[] = [[0, [], [line]]];
  const batches = [{ number: 1, used: new Map([[key, nanos]]), holds }];
  const touches = [{ keys: [key], meters: account.meter.id, customer: null, keyId: "key_A", rates: [] }];
  const report = { holder: "isolate without slices", attempt: 1, batches, wants: new Map() };
  await object.syncLeases(
    writeAsk({ ask: report, touches, watch: [], lagMs: 0, heard: null, refusals: null }),
  );
  expect((await org.budget()).reserved_usd).toBe("0.05");
});

test("slices that were taken back are not there any more after a restart", async () => {
  const org = await newBudgeted();
  await org.isolate();
  // Nothing can be held from its slices any more, and what may have been has ended.
  await org.advance(1000);
  await expect.poll(async () => (await org.budget()).reserved_usd).toBe("0.00");
  await evict(env.ORG.getByName(org.id));
  expect(await rowsOf(org.id, "SELECT slices FROM lease_holders")).toEqual([{ slices: "[]" }]);
});

/** Of each run of these tests. */
const TOKENS = 15;

test("a run before the report of its reservation is counted by the rate limits of its decision, once", async () => {
  lengthenLives();
  const org = await newSpender();
  const match = { route: "POST /v1/edge/decision" };
  const policy = { name: "l", match, unit: "tokens", limit: 64_000, window_seconds: 3600, kind: "rate" };
  const limits = { read_rpm: null, policies: [policy] };
  const set = await org.operate("PUT", "/v1/admin/orgs/{org}/rate-limits", limits);
  const key = `rate\n\n${set.body.policies[0].id}`;
  const object = env.ORG.getByName(org.id);
  const leaseClient = new LeaseClient<ReportedHolds>(crypto.randomUUID());
  const touches = [{ keys: [], meters: "", customer: null, keyId: "key_A", rates: [key] }];
  const report = async () => {
    const ask = leaseClient.ask(Date.now());
    const reply = await object.syncLeases(
      writeAsk({ ask, touches, watch: [], lagMs: 0, heard: null, refusals: null }),
    );
    if (reply !== null) leaseClient.granted(readReply(reply).grant);
  };
  const room = async () => (await object.lookAtLimits([key]))[0]?.room;
  const slice = leaseClient.slice(key);
  for (let call = 0; call < 8; call += 1) leaseClient.miss(slice, TOKENS);
  await report();
  const before = await room();
  expect(leaseClient.take([slice], [TOKENS], Date.now())).toBe(true);
  const [id, now] = [new ReservationIds(env.SVC_KEY_PEPPER, org.id).newId(Date.now()), Date.now()];
  const line = holdLine({ id, at: now, expiresAt: now + 900_000, nanos: 0n });
  leaseClient.note([0, [], [line], [[], [TOKENS]]]);
  expect((await org.run({ reservation_id: id, cost_usd: "0" })).status).toBe(201);
  // Nobody knows whether the report comes, so the run is counted now.
  expect(await room()).toBe((before ?? 0) - TOKENS);
  while (!leaseClient.idle) await report();
  expect(await room()).toBe(64_000 - TOKENS);
});
