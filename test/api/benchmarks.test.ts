import { beforeAll, describe, expect, test } from "vitest";
import { newSpender, type Spender } from "../support/ledger.ts";
import { call, newOrg, operatorKey } from "../support/worker.ts";

const ADMIN = "/v1/admin/benchmarks/cohorts";
const operate = (method: string, path: string, body: object) =>
  call(method, path, { key: operatorKey(), body });
const optIn = (org: Spender, contributing = true) => org.send("PUT", "benchmark-profile", { contributing });
const read = (org: Spender, id: string) => call("GET", `/v1/benchmarks/cohorts/${id}`, { key: org.key });
const today = () => new Date().toISOString();
const THIRTY_TWO_DAYS = 32 * 86_400;

async function newCohort(metric: string, orgs: readonly Spender[]): Promise<string> {
  const made = await operate("POST", ADMIN, { name: "Peers", metric, org_ids: orgs.map((org) => org.id) });
  if (made.status !== 201) throw new Error(made.text);
  return made.body.id;
}

describe("a cohort of contributing orgs", () => {
  const orgs: Spender[] = [];
  let id: string;
  beforeAll(async () => {
    for (let index = 0; index < 11; index += 1) {
      const org = await newSpender();
      orgs.push(org);
      await optIn(org);
      const sent = await org.run({ started_at: today(), cost_usd: String(index + 1) });
      expect(sent.status).toBe(201);
    }
    id = await newCohort("cost_per_run_usd", orgs);
    await Promise.all(orgs.map((org) => org.advance(THIRTY_TWO_DAYS)));
  });
  const org = (index: number) => orgs[index] ?? ({} as Spender);

  test("shows percentiles and the caller's own value, and no one else's", async () => {
    const { status, body } = await read(org(0), id);
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      name: "Peers",
      metric: "cost_per_run_usd",
      created_at: expect.any(String),
      month: today().slice(0, 7),
      p25: "3.50",
      p50: "6.00",
      p75: "8.50",
      own_value: "1.00",
    });
    const listed = await call("GET", "/v1/benchmarks/cohorts", { key: org(1).key });
    expect(listed.body.data.map((one: { id: string }) => one.id)).toEqual([id]);
  });

  test("does not exist for an org outside it", async () => {
    const outside = await newSpender();
    expect((await read(outside, id)).status).toBe(404);
    expect((await call("GET", "/v1/benchmarks/cohorts", { key: outside.key })).body.data).toEqual([]);
    expect((await read(org(0), "coh_none")).status).toBe(404);
  });

  test("returns the same reading all month, even if members spend, join or leave", async () => {
    const before = await read(org(0), id);
    await org(5).run({ started_at: today(), cost_usd: "500" });
    await optIn(org(7), false);
    const after = await read(org(0), id);
    expect(after.body).toEqual(before.body);
  });

  test("keeps its last reading in the next month while too few orgs have changed", async () => {
    const before = await read(org(0), id);
    await org(0).advance(THIRTY_TWO_DAYS);
    const after = await read(org(0), id);
    expect(after.body).toEqual(before.body);
  });

  test("is refused while fewer members of its last reading contribute than the floor requires", async () => {
    const before = await read(org(0), id);
    const place = (orgs_: readonly Spender[]) =>
      operate("PUT", `${ADMIN}/${id}/members`, { org_ids: orgs_.map((one) => one.id) });
    await place(orgs.slice(0, 10));
    const refused = await read(org(0), id);
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({
      code: "insufficient_cohort_size",
      details: { minimum_cohort_size: 10 },
    });
    await place(orgs);
    expect((await read(org(0), id)).body).toEqual(before.body);
    await optIn(org(3), false);
    expect((await read(org(0), id)).status).toBe(400);
  });
});

describe("below the floor", () => {
  test("a first read excludes orgs whose contribution starts in a later month", async () => {
    const orgs = await Promise.all(Array.from({ length: 10 }, () => newSpender()));
    for (const org of orgs) {
      expect((await optIn(org)).body.counts_from > today().slice(0, 7)).toBe(true);
      await org.run({ started_at: today() });
    }
    const id = await newCohort("tokens_per_run", orgs);
    const first = orgs[0] ?? ({} as Spender);
    expect((await read(first, id)).body.error.code).toBe("insufficient_cohort_size");
    await Promise.all(orgs.map((org) => org.advance(THIRTY_TWO_DAYS)));
    expect((await read(first, id)).status).toBe(200);
  });

  test("a cohort is refused with the floor, and an org that joins late counts from the next month", async () => {
    const orgs = await Promise.all(Array.from({ length: 10 }, () => newSpender()));
    for (const org of orgs.slice(0, 9)) await optIn(org);
    for (const org of orgs) await org.run({ started_at: today() });
    const id = await newCohort("runs_per_day", orgs);
    const first = orgs[0] ?? ({} as Spender);
    const refused = await read(first, id);
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({
      code: "insufficient_cohort_size",
      details: { minimum_cohort_size: 10 },
    });
    const joined = await optIn(orgs[9] ?? first);
    expect(joined.body.contributing).toBe(true);
    expect((await read(first, id)).status).toBe(400);
    await Promise.all(orgs.map((org) => org.advance(THIRTY_TWO_DAYS)));
    const later = await read(first, id);
    expect(later.status).toBe(200);
    expect(later.body.month).toBe(today().slice(0, 7));
  });
});

describe("the profile", () => {
  test("is off by default, is switched by an admin, and says when a change takes effect", async () => {
    const org = await newOrg();
    const path = `/v1/orgs/${org.id}/benchmark-profile`;
    expect((await call("GET", path, { key: await org.mint("viewer") })).body).toEqual({
      contributing: false,
      counts_from: null,
    });
    const refused = await call("PUT", path, { key: await org.mint("viewer"), body: { contributing: true } });
    expect(refused.body.error.code).toBe("forbidden");
    const set = await call("PUT", path, { key: org.ownerKey, body: { contributing: true } });
    expect(set.body).toEqual({ contributing: true, counts_from: expect.stringMatching(/^\d{4}-\d{2}$/) });
    expect((await call("PUT", path, { key: org.ownerKey, body: {} })).status).toBe(422);
  });
});

describe("an operator", () => {
  test("cannot name unknown orgs, mix test and live orgs, or change the metric", async () => {
    const [live, test_] = [await newOrg(), await newSpender()];
    const make = (org_ids: string[]) =>
      operate("POST", ADMIN, { name: "x", metric: "runs_per_day", org_ids });
    const unknown = await make([live.id, "org_00000000000000000000000009"]);
    expect(unknown.body.error.details.fields[0].field).toBe("org_ids[1]");
    expect((await make([live.id, test_.id])).status).toBe(422);
    const made = await make([live.id]);
    const members = `${ADMIN}/${made.body.id}/members`;
    expect((await operate("PUT", members, { org_ids: [test_.id] })).status).toBe(422);
    expect((await operate("PUT", members, { org_ids: [], metric: "tokens_per_run" })).status).toBe(409);
    expect((await operate("PUT", members, { org_ids: [] })).status).toBe(200);
    expect((await operate("PUT", `${ADMIN}/coh_none/members`, { org_ids: [] })).status).toBe(404);
    const denied = await call("POST", ADMIN, { key: live.ownerKey, body: {} });
    expect(denied.body.error.code).toBe("forbidden");
  });
});
