import { beforeAll, expect, test } from "vitest";
import { MATCHED } from "../../src/contract/dimensions.ts";
import { evict } from "../support/evict.ts";
import { call, env, newOrg, type TestOrg } from "../support/worker.ts";

/** Names of the latest runs, which a search finds. */

let org: TestOrg;
const started_at = new Date().toISOString();
const run = (fields: object) => ({
  started_at,
  model: "acme/m1",
  usage: { input_tokens: 1, output_tokens: 1 },
  cost_usd: "0.01",
  ...fields,
});

async function send(runs: readonly object[]): Promise<void> {
  const sent = await call("POST", "/v1/runs/bulk", { key: org.ownerKey, body: { runs } });
  expect(sent.body.accepted).toBe(runs.length);
}

beforeAll(async () => {
  org = await newOrg();
  const old = ["Ada", "maria-ada", "bob", "ada", "adam"];
  await send(Array.from({ length: 200 }, (_, nth) => run({ user_id: old[nth % old.length] })));
  await send([
    run({ user_id: "ada-late" }),
    run({ user_id: "bob", customer_id: "bobs", workflow_id: "w" }),
    run({}),
  ]);
});

const read = (query: Record<string, string>, key = org.ownerKey) =>
  call("GET", `/v1/orgs/${org.id}/usage/names?${new URLSearchParams(query)}`, { key });
const namesOf = async (query: Record<string, string>): Promise<string[]> =>
  (await read(query)).body.data.map(({ name }: { name: string }) => name);

test("each name once: the same, then those that begin with it, then others, the latest first", async () => {
  const sought = { by: "user_id", contains: "ada" };
  const expected = ["ada", "Ada", "ada-late", "adam", "maria-ada"];
  expect(await namesOf(sought)).toEqual(expected);
  expect((await read(sought)).body).toMatchObject({ by: "user_id", runs: 203 });
  expect(await namesOf({ ...sought, contains: "ADA" })).toEqual(expected);
  expect(await namesOf({ ...sought, limit: "2" })).toEqual(expected.slice(0, 2));
  expect(await namesOf({ ...sought, contains: "%" })).toEqual([]);
  await evict(env.ORG.getByName(org.id));
  expect(await namesOf(sought)).toEqual(expected);
});

test("without a text, the latest first", async () => {
  expect(await namesOf({ by: "user_id", limit: "3" })).toEqual(["bob", "ada-late", "adam"]);
});

test("of each field by which calls are told apart", async () => {
  const found = await Promise.all(MATCHED.map(async (by) => [by, await namesOf({ by })]));
  expect(Object.fromEntries(found)).toMatchObject({
    customer_id: ["bobs"],
    workflow_id: ["w"],
    model: ["acme/m1"],
    provider: [],
    department_id: [],
  });
});

test("runs before the latest 2,000 are not looked at", async () => {
  org = await newOrg();
  await send([run({ user_id: "first" }), ...Array.from({ length: 999 }, () => run({ user_id: "early" }))]);
  for (let bulk = 0; bulk < 3; bulk += 1)
    await send(Array.from({ length: 1000 }, () => run({ user_id: "later" })));
  const { body } = await read({ by: "user_id" });
  expect(body.data).toEqual([{ name: "later" }]);
  expect(body.runs).toBeGreaterThanOrEqual(2000);
  expect(body.runs).toBeLessThan(4000);
});

test("fewer runs are looked at if they are large", async () => {
  org = await newOrg();
  // Neighbours share what they begin with alike.
  const metadata = (nth: number) => ({ text: `${nth}${"x".repeat(60_000)}` });
  for (const user_id of ["first", "early", "later"]) {
    await send(Array.from({ length: 60 }, (_, nth) => run({ user_id, metadata: metadata(nth) })));
  }
  const { body } = await read({ by: "user_id" });
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(["later", "early"]);
  expect(body.runs).toBeLessThanOrEqual(120);
});

test("for whoever reads runs, in their own organization", async () => {
  const other = await newOrg();
  expect((await read({ by: "user_id" }, other.ownerKey)).status).toBe(404);
  const token = await call("POST", `/v1/orgs/${org.id}/customers/acme/tokens`, {
    key: org.ownerKey,
    body: { ttl_seconds: 900 },
  });
  expect((await read({ by: "user_id" }, token.body.token)).status).toBe(403);
  for (const query of [
    {},
    { by: "outcome" },
    { by: "user_id", contains: "" },
    { by: "user_id", limit: "101" },
  ]) {
    expect([query, (await read(query as never)).status]).toEqual([query, 422]);
  }
});
