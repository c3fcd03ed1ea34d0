import { beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../src/operations.ts";
import { routeOf } from "../../src/contract/operation.ts";
import { mintOrgToken } from "../../src/domain/key/org-token.ts";
import { SAMPLE_BODIES } from "../support/sample-bodies.ts";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { call, env, newOrg, operatorKey } from "../support/worker.ts";

let nextAddress = 0;
/** Failed attempts slow an address down, so each call comes from one of its own. */
const fresh = () => ({ from: `2001:db8:c:${(nextAddress++).toString(16)}::1` });

const tokenOf = async (org: Spender, customer: string, key = org.key): Promise<string> => {
  const path = `/v1/orgs/${org.id}/customers/${customer}/tokens`;
  const { status, body } = await call("POST", path, { key, body: { ttl_seconds: 3600 } });
  expect(status).toBe(201);
  return body.token as string;
};
const read = (token: string, path = "/v1/customer") => call("GET", path, { key: token, ...fresh() });

describe("a customer", () => {
  test("stands as its runs, limits and packs say", async () => {
    const org = await newSpender();
    const now = new Date().toISOString();
    await org.send("POST", "customer-limits", { customer_id: "*", limit_usd: "5", period: "month" });
    await org.send("POST", "customer-limits", { customer_id: "c1", limit_usd: "10", period: "month" });
    await org.send("POST", "credit-packs", { customer_id: "c1", amount_usd: "8" });
    await org.bulk([
      aRun({ id: "r1", started_at: now, customer_id: "c1", cost_usd: "2.5" }),
      aRun({ id: "r2", started_at: now, customer_id: "c2", cost_usd: "1" }),
    ]);
    const { body } = await org.send("GET", "customers/c1");
    expect(body).toMatchObject({
      customer_id: "c1",
      limits: [{ limit_usd: "10.00", spent_usd: "2.50", available_usd: "7.50", period: "month" }],
      credits: { remaining_usd: "5.50", packs: [{ amount_usd: "8.00", remaining_usd: "5.50" }] },
      last_run_on: now.slice(0, 10),
      last_run: { id: "r1", cost_usd: "2.50" },
    });
    expect(body.limits[0].resets_at).toBe(body.limits[0].period_end.replace("Z", "+00:00"));
    expect(
      body.spent.map((one: { period: string; spent_usd: string }) => [one.period, one.spent_usd]),
    ).toEqual([
      ["day", "2.50"],
      ["week", "2.50"],
      ["month", "2.50"],
    ]);
    const other = await org.send("GET", "customers/c2");
    expect(other.body).toMatchObject({
      limits: [{ limit_usd: "5.00", available_usd: "4.00" }],
      credits: null,
    });
    expect((await org.send("GET", "customers/nobody")).status).toBe(404);
    expect((await org.send("GET", "customers/*")).status).toBe(404);
  });

  test("is listed once, page by page, also without a run", async () => {
    const org = await newSpender();
    await org.send("POST", "customer-limits", { customer_id: "*", limit_usd: "5", period: "month" });
    await org.send("POST", "customer-limits", { customer_id: "b", limit_usd: "5", period: "month" });
    await org.bulk(["c", "a", "!", "c"].map((customer_id) => aRun({ customer_id })));
    await org.send("PUT", "customers/d", { name: "D" });
    const listed = async (sort: string) => {
      const first = await org.send("GET", `customers?limit=3&sort=${sort}`);
      const second = await org.send("GET", `customers?limit=3&sort=${sort}&cursor=${first.body.next_cursor}`);
      expect(second.body.next_cursor).toBeNull();
      return [...first.body.data, ...second.body.data].map((one: { customer_id: string }) => one.customer_id);
    };
    expect(await listed("customer_id")).toEqual(["!", "a", "b", "c", "d"]);
    expect(await listed("-customer_id")).toEqual(["d", "c", "b", "a", "!"]);
  });
});

describe("a list of customers", () => {
  test("has those with a text in their name or at the beginning of their id, the closest first", async () => {
    const org = await newSpender();
    const names: Record<string, string> = {
      b1: "Ökostrom AG",
      b2: "ökostrom",
      b3: "Neue Ökostrom",
      b4: "100% _Acme_",
    };
    await Promise.all(
      Object.entries(names).map(([id, name]) => org.send("PUT", `customers/${id}`, { name })),
    );
    await org.send("POST", "customer-limits", { customer_id: "*", limit_usd: "5", period: "month" });
    await org.send("POST", "customer-limits", { customer_id: "acme-limit", limit_usd: "5", period: "month" });
    await org.bulk(["acme-2", "acme", "Acme-3", "xacme"].map((customer_id) => aRun({ customer_id })));
    const found = async (contains: string, limit = 50) => {
      const asked = new URLSearchParams({ contains, limit: String(limit) });
      const { status, body } = await org.send("GET", `customers?${asked}`);
      expect([status, body.next_cursor]).toEqual([200, null]);
      return body.data.map((one: { customer_id: string }) => one.customer_id);
    };
    expect(await found("ÖKOSTROM")).toEqual(["b2", "b1", "b3"]);
    expect(await found("acme")).toEqual(["acme", "acme-2", "acme-limit", "b4"]);
    expect(await found("acme", 2)).toEqual(["acme", "acme-2"]);
    expect(await found("Acme")).toEqual(["Acme-3", "b4"]);
    expect(await found("100% _")).toEqual(["b4"]);
    expect(await found("b")).toEqual(["b1", "b2", "b3", "b4"]);
    expect(await found("%")).toEqual(["b4"]);
    expect(await found("*")).toEqual([]);
    const page = await org.send("GET", "customers?limit=1");
    const mixed = await org.send("GET", `customers?limit=1&contains=a&cursor=${page.body.next_cursor}`);
    expect(mixed.status).toBe(422);
  });

  test("says of each what it says of one, on pages of any length", async () => {
    const org = await newSpender();
    const moment = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString();
    const runs = Array.from({ length: 90 }, (_, nth) =>
      aRun({
        customer_id: `c${nth % 13}`,
        started_at: moment((nth * 7) % 40),
        cost_usd: `${nth % 4}.${String(nth * 7919).padStart(9, "0")}`,
      }),
    );
    expect((await org.bulk([...runs, aRun({ customer_id: "*" })])).body.accepted).toBe(91);
    await org.send("POST", "customer-limits", { customer_id: "*", limit_usd: "50", period: "week" });
    for (const nth of [2, 3, 20]) {
      const customer_id = `c${nth}`;
      await org.send("POST", "customer-limits", { customer_id, limit_usd: "90", period: "month" });
      await org.send("POST", "credit-packs", { customer_id, amount_usd: "8" });
      await org.send("POST", "credit-packs", { customer_id, amount_usd: `${nth}` });
      await org.send("PUT", `customers/c${nth + 1}`, {
        name: `N${nth}`,
        revenue: { usd_per_month: "3", markup: "0.5" },
      });
    }
    const days = `from=${moment(50).slice(0, 10)}&to=${moment(3).slice(0, 10)}`;
    const lists: unknown[][] = [];
    for (const limit of [1, 4, 100]) {
      const all: Record<string, unknown>[] = [];
      for (let cursor = ""; ;) {
        const { body } = await org.send("GET", `customers?limit=${limit}&${days}${cursor}`);
        all.push(...body.data);
        if (body.next_cursor === null) break;
        cursor = `&cursor=${body.next_cursor}`;
      }
      lists.push(all);
    }
    const expected: Record<string, unknown>[] = [];
    const ids = [...Array.from({ length: 13 }, (_, nth) => `c${nth}`), "c20", "c21"].toSorted();
    for (const id of ids) {
      const { last_run: _, ...one } = (await org.send("GET", `customers/${id}?${days}`)).body;
      const own = runs.filter((run) => run.customer_id === id);
      const dates = own.map(({ started_at }) => String(started_at).slice(0, 10)).toSorted();
      expect([one.customer_id, one.last_run_on]).toEqual([id, dates.at(-1) ?? null]);
      expected.push(one);
    }
    expect(lists).toEqual([expected, expected, expected]);
    const paying = expected.filter(({ revenue_usd }) => typeof revenue_usd === "string");
    expect(paying.map(({ customer_id }) => customer_id)).toEqual(["c21", "c3", "c4"]);
  });
});

describe("a customer token", () => {
  let org: Spender;
  let token: string;

  beforeAll(async () => {
    org = await newSpender();
    const started_at = new Date().toISOString();
    await org.bulk([
      aRun({ started_at, customer_id: "c1", model: "m1" }),
      aRun({ started_at, customer_id: "c2", model: "m2", cost_usd: "7" }),
      aRun({ started_at, model: "m3", cost_usd: "9" }),
    ]);
    token = await tokenOf(org, "c1");
  });

  test("reads the standing and the usage of its own customer", async () => {
    expect((await read(token)).body).toMatchObject({ customer_id: "c1", last_run: { cost_usd: "1.00" } });
    const usage = await read(token, "/v1/customer/usage?group_by=model");
    expect(usage.body).toMatchObject({ totals: { cost_usd: "1.00", runs: 1 }, data: [{ model: "m1" }] });
    expect((await read(token, "/v1/customer/usage")).body.group_by).toEqual(["day"]);
    const csv = await read(token, "/v1/customer/usage?format=csv&group_by=model");
    expect(csv.text.split("\r\n")[1]).toMatch(/^m1,1\.00,1,/);
  });

  test.each([
    ["customer_id", "customer_id=c2"],
    ["group_by", "group_by=user_id"],
    ["group_by", "group_by=day,key_id"],
    ["group_by", "group_by=tag:team"],
  ])("cannot ask for more by %s", async (field, query) => {
    const { status, body } = await read(token, `/v1/customer/usage?${query}`);
    expect([status, body.error.details.fields[0].field]).toEqual([422, field]);
  });

  const own = new Set(["/v1/customer", "/v1/customer/usage"]);
  const others = OPERATIONS.map(({ contract }) => contract).filter(
    ({ path, role }) => role !== "anyone" && !own.has(path),
  );

  test.each(others.map((op) => [routeOf(op), op] as const))("is refused by %s", async (route, op) => {
    for (const orgId of [org.id, "org_7ZZZZZZZZZZZZZZZZZZZZZZZZZ"]) {
      const path = op.path
        .replace("{org_id}", orgId)
        .replace("/orgs/{id}", `/orgs/${orgId}`)
        .replaceAll(/\{\w+\}/g, "c1");
      const body = SAMPLE_BODIES[route];
      const answer = await call(op.method, path, {
        key: token,
        ...fresh(),
        ...(body === undefined ? {} : { body }),
      });
      expect([answer.status, answer.body.error.code]).toEqual([403, "forbidden"]);
    }
  });

  test("is what its operations are for: keys, operators and support are refused", async () => {
    for (const path of own) {
      for (const key of [org.key, operatorKey()]) {
        expect((await call("GET", path, { key, ...fresh() })).status).toBe(403);
      }
    }
  });

  test("is refused when it is forged, expired, or made by a key that is revoked", async () => {
    const forged = `${token.slice(0, -1)}${token.endsWith("a") ? "b" : "a"}`;
    expect((await read(forged)).body.error.code).toBe("unauthorized");
    const elsewhere = await newSpender();
    const moved = token.replace(/_[0-9A-Z]{26}_/, `_${elsewhere.id.slice("org_".length)}_`);
    expect((await read(moved)).body.error.code).toBe("unauthorized");
    // Under the service's own check, but given out by no org: one is not there, the other knows no such token.
    for (const orgId of ["org_7ZZZZZZZZZZZZZZZZZZZZZZZZZ", org.id]) {
      const unknown = await read(mintOrgToken(env.SVC_KEY_PEPPER, "customer", orgId));
      expect([orgId, unknown.status, unknown.body.error.code]).toEqual([orgId, 401, "unauthorized"]);
    }

    const minted = await org.send("POST", "keys", { name: "minter", role: "admin" });
    const theirs = await tokenOf(org, "c1", minted.body.key as string);
    expect((await read(theirs)).status).toBe(200);
    await org.send("DELETE", `keys/${minted.body.id}`);
    const revoked = await read(theirs);
    expect([revoked.status, revoked.body.error.code]).toEqual([401, "key_expired"]);

    const short = await tokenOf(org, "c1");
    await rowsOf(
      org.id,
      "UPDATE customer_tokens SET expires_at = 1 WHERE id = (SELECT MAX(id) FROM customer_tokens)",
    );
    const expired = await read(short);
    expect([expired.status, expired.body.error.code]).toEqual([401, "key_expired"]);
    expect((await read(token)).status).toBe(200);
  });

  test("is not kept in the clear, and its minting is audited without it", async () => {
    const rows = await rowsOf(org.id, "SELECT * FROM customer_tokens");
    expect(JSON.stringify(rows)).not.toContain(token);
    const { body } = await org.send("GET", "audit-log?action=customer_token.minted");
    expect(body.data[0]).toMatchObject({ target: "c1" });
    expect(JSON.stringify(body)).not.toContain("svc_customer_");
  });

  test("of a suspended org is refused, and the address allow-list applies to it", async () => {
    const stopped = await newSpender();
    const theirs = await tokenOf(stopped, "c1");
    await stopped.operate("POST", "/v1/admin/orgs/{org}/suspend", {});
    expect((await read(theirs)).body.error.code).toBe("org_suspended");
    const fenced = await newSpender();
    const inside = await tokenOf(fenced, "c1");
    await call("PATCH", `/v1/orgs/${fenced.id}`, {
      key: fenced.key,
      body: { ip_allow_list: ["198.51.100.0/24"] },
    });
    expect((await read(inside)).body.error.code).toBe("ip_not_allowed");
  });

  test.each([59, 86_401, 1.5, "60"])("is not made for %s seconds", async (ttl_seconds) => {
    const answer = await org.send("POST", "customers/c1/tokens", { ttl_seconds });
    expect([answer.status, answer.body.error.details.fields[0].field]).toEqual([422, "ttl_seconds"]);
  });

  test("is made by admins with customers:write, for one customer", async () => {
    const tenant = await newOrg();
    const mint = async (key: string, customer = "c1") =>
      (
        await call("POST", `/v1/orgs/${tenant.id}/customers/${customer}/tokens`, {
          key,
          body: { ttl_seconds: 60 },
        })
      ).status;
    expect(await mint(await tenant.mint("developer"))).toBe(403);
    expect(await mint(await tenant.mint("admin", { scopes: ["customers:read"] }))).toBe(403);
    expect(await mint(await tenant.mint("admin", { scopes: ["customers:write"] }))).toBe(201);
    expect(await mint(tenant.ownerKey, "*")).toBe(404);
    expect(await mint(org.key)).toBe(404);
  });
});
