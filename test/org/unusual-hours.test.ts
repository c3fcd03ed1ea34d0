import { expect, test } from "vitest";
import type { HourSpend } from "../../src/domain/forecast/hours.ts";
import { archiveAll, bucket, filesOf } from "../support/archive.ts";
import { evict } from "../support/evict.ts";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { receiver, takeNetwork } from "../support/receivers.ts";
import { rowsOf } from "../support/rows.ts";
import { env } from "../support/worker.ts";

/** What the watch has stored, by kind and id, in dollars and runs. */
async function stored(orgId: string): Promise<Record<string, readonly [usd: number, runs: number]>> {
  const rows = await rowsOf<{ spent: string }>(orgId, "SELECT spent FROM unusual_hours");
  const sums: Record<string, readonly [number, number]> = {};
  for (const [, kind, id, usd, runs] of rows.flatMap(({ spent }) => JSON.parse(spent) as HourSpend[])) {
    const [before, counted] = sums[`${kind} ${id}`] ?? [0, 0];
    sums[`${kind} ${id}`] = [before + usd, counted + runs];
  }
  return sums;
}

async function watch(org: Spender): Promise<string> {
  takeNetwork();
  const made = await org.send("POST", "webhooks", { url: receiver(), events: ["spend.unusual"] });
  expect(made.status).toBe(201);
  await org.advance(1);
  return made.body.id as string;
}

const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

test("each run is counted once, whenever it comes, and an estimate until its run does", async () => {
  const org = await newSpender();
  await org.bulk([
    aRun({ started_at: ago(20), user_id: "ada", cost_usd: "2" }),
    aRun({ started_at: ago(90), user_id: "ada", cost_usd: "64" }),
  ]);
  await watch(org);
  expect(await stored(org.id)).toMatchObject({ "org ": [2, 1], "user ada": [2, 1], "model acme/m1": [2, 1] });
  const held = await org.decide("7", {
    on_expiry: "charge",
    hold_seconds: 30,
    user_id: "ada",
    model: "acme/m1",
  });
  expect(held.status).toBe(200);
  // The look of this hour may be due before the hold expires, and then it is the next one that counts it.
  await org.advance(60);
  await org.advance(3600);
  expect(await stored(org.id)).toMatchObject({ "org ": [9, 2], "user ada": [9, 2] });
  const own = { reservation_id: held.body.reservation.id, user_id: "ada", started_at: ago(0), cost_usd: "4" };
  expect((await org.run(own)).status).toBe(201);
  await org.run({ started_at: ago(3), user_id: "bob", cost_usd: "1" });
  await org.advance(3600);
  await org.advance(3600);
  expect(await stored(org.id)).toMatchObject({ "org ": [7, 3], "user ada": [6, 2], "user bob": [1, 1] });
});

test("nothing is kept once nobody wants to hear of it, and hours of 35 days at most", async () => {
  const org = await newSpender();
  await org.run({ started_at: ago(34), user_id: "ada", cost_usd: "2" });
  const id = await watch(org);
  expect(await stored(org.id)).toMatchObject({ "user ada": [2, 1] });
  await org.advance(2 * 86_400);
  expect(await stored(org.id)).toEqual({});
  await org.run({ started_at: ago(0), user_id: "ada", cost_usd: "2" });
  await org.advance(3600);
  expect(await stored(org.id)).toMatchObject({ "user ada": [2, 1] });
  await org.send("DELETE", `webhooks/${id}`);
  await org.advance(3600);
  expect(await stored(org.id)).toEqual({});
  expect(await rowsOf(org.id, "SELECT * FROM unusual_counted")).toEqual([]);
});

test("runs that are archived when somebody begins to listen are counted", async () => {
  const org = await newSpender();
  const runs = Array.from({ length: 1000 }, (_, at) =>
    aRun({ id: `old-${at}`, started_at: ago(5), user_id: `user-${at % 3}`, cost_usd: "1" }),
  );
  expect((await org.bulk(runs)).body.accepted).toBe(1000);
  await archiveAll(org, async () => (await filesOf(org.id)).length > 0);
  await watch(org);
  await expect
    .poll(async () => (await stored(org.id))["user user-0"], { timeout: 20_000 })
    .toEqual([334, 334]);
});

test("a list without hours that cannot be read says that it is not complete", async () => {
  const org = await newSpender();
  const runs = Array.from({ length: 1000 }, (_, at) => aRun({ id: `old-${at}`, started_at: ago(5) }));
  expect((await org.bulk(runs)).body.accepted).toBe(1000);
  await archiveAll(org, async () => (await filesOf(org.id)).length > 0);
  expect((await org.send("GET", "usage/unusual")).body).toMatchObject({ complete: true });
  await bucket().delete(await filesOf(org.id));
  await evict(env.ORG.getByName(org.id));
  const listed = await org.send("GET", "usage/unusual");
  expect([listed.status, listed.body.complete]).toEqual([200, false]);
});
