import { describe, expect, test } from "vitest";
import { ReservationIds } from "../../src/domain/reservation/reservation-id.ts";
import { aRun } from "../support/ledger.ts";
import { type Answer, call, env, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";
import { gateOf } from "../support/worker-gate.ts";
import { BUSY_MS, lengthenLives } from "../support/lives.ts";

/** Who may report the run of a call that was decided. */

const DECIDES = { scopes: ["decisions:evaluate"] };
const WRITES = { scopes: ["runs:write"] };

interface Key {
  readonly id: string;
  readonly secret: string;
}

async function mint(org: TestOrg, more: object = DECIDES): Promise<Key> {
  const body = { name: "k", role: "developer", ...more };
  const { status, body: made } = await call("POST", `/v1/orgs/${org.id}/keys`, { key: org.ownerKey, body });
  expect(status).toBe(201);
  return { id: made.id, secret: made.key };
}

const revoke = async (org: TestOrg, { id }: Key) =>
  expect((await call("DELETE", `/v1/orgs/${org.id}/keys/${id}`, { key: org.ownerKey })).status).toBe(204);

async function budgetOf(org: TestOrg, limit = "100") {
  const path = `/v1/orgs/${org.id}/budgets`;
  const body = { scope_kind: "org", limit_usd: limit, period: "total" };
  const { body: made } = await call("POST", path, { key: org.ownerKey, body });
  return async () => {
    const { body: now } = await call("GET", `${path}/${made.id}`, { key: org.ownerKey });
    return [now.spent_usd, now.reserved_usd];
  };
}

const decide = (key: Key | string, more: object = {}) =>
  call("POST", "/v1/edge/decision", {
    key: typeof key === "string" ? key : key.secret,
    body: { estimate: { cost_usd: "1" }, ...more },
  });

async function reserve(key: Key | string): Promise<string> {
  const { status, body } = await decide(key);
  expect(status).toBe(200);
  return body.reservation.id;
}

let addresses = 0;
/** Failed attempts slow down an address, so each test of them has its own. */
const freshAddress = () => `198.18.${(addresses += 1)}.1`;

const sendOne = (key: Key, run: object, more: object = {}) =>
  call("POST", "/v1/runs", { key: key.secret, body: aRun(run), ...more });
const sendMany = (key: Key, runs: readonly object[], more: object = {}) =>
  call("POST", "/v1/runs/bulk", { key: key.secret, body: { runs: runs.map(aRun) }, ...more });

async function advance(org: TestOrg, advance_seconds: number): Promise<void> {
  const path = `/v1/admin/orgs/${org.id}/test-clock`;
  const moved = await call("POST", path, { key: operatorKey(), body: { advance_seconds } });
  expect(moved.status).toBe(200);
}

/** Longer than an isolate that lives keeps a reservation to itself. */
const NEVER_REPORTED_SECONDS = 61;

/** Sets the price of the model that runs of these tests name. */
async function priceOf(org: TestOrg, perMtok = "1000000", more: object = {}): Promise<void> {
  const body = { input_usd_per_mtok: perMtok, output_usd_per_mtok: perMtok, ...more };
  const path = `/v1/orgs/${org.id}/models/acme%2Fm1`;
  expect((await call("PUT", path, { key: org.ownerKey, body })).status).toBeLessThan(300);
}

const seen = ({ status, body }: Answer) => [status, body?.error?.code];
const runsOf = async (org: TestOrg) =>
  (await call("GET", "/v1/runs", { key: org.ownerKey })).body.data as { id: string }[];

describe("a key with decisions:evaluate and no runs:write", () => {
  test("settles its reservations, and those of other keys, alone and in bulk", async () => {
    const org = await newOrg();
    const budget = await budgetOf(org);
    const [one, other] = [await mint(org), await mint(org)];
    expect((await sendOne(one, { reservation_id: await reserve(one), cost_usd: "0.5" })).status).toBe(201);
    const ids = [await reserve(one), await reserve(other), await reserve(org.ownerKey)];
    const { body } = await sendMany(
      other,
      ids.map((reservation_id) => ({ reservation_id, cost_usd: "0.5" })),
    );
    expect(body).toMatchObject({ accepted: 3, rejected: 0 });
    expect(await budget()).toEqual(["2.00", "0.00"]);
  });

  test("sends no run without a reservation, not even one that was incurred or is known", async () => {
    const org = await newOrg();
    const key = await mint(org);
    const known = aRun({ id: "known" });
    await call("POST", "/v1/runs", { key: org.ownerKey, body: known });
    for (const run of [{}, { incurred: true }, known]) {
      const refused = await sendOne(key, run);
      expect(seen(refused)).toEqual([403, "missing_scope"]);
      expect(refused.body.error.details).toEqual({ required: "runs:write" });
      expect(seen(await sendMany(key, [run, run]))).toEqual([403, "missing_scope"]);
    }
    expect(await runsOf(org)).toHaveLength(1);
  });

  test("has each run of a bulk judged by itself", async () => {
    const org = await newOrg();
    const key = await mint(org);
    const reservation_id = await reserve(key);
    const { status, body } = await sendMany(key, [{ id: "a" }, { id: "b", reservation_id }, { id: "c" }]);
    expect([status, body.accepted, body.rejected]).toEqual([200, 1, 2]);
    expect(body.results.map((one: { status: string }) => one.status)).toEqual([
      "rejected",
      "accepted",
      "rejected",
    ]);
    expect(body.results[2]).toMatchObject({
      id: "c",
      error: { code: "missing_scope", details: { required: "runs:write" } },
    });
    expect((await runsOf(org)).map(({ id }) => id)).toEqual(["b"]);
  });

  test("is not answered with what a key that may send any run was", async () => {
    const org = await newOrg();
    const body = JSON.stringify(aRun({ id: "mine" }));
    const headers = { "idempotency-key": "same" };
    expect((await call("POST", "/v1/runs", { key: org.ownerKey, body, headers })).status).toBe(201);
    const { secret } = await mint(org);
    expect(seen(await call("POST", "/v1/runs", { key: secret, body, headers }))).toEqual([
      409,
      "idempotency_key_conflict",
    ]);
  });

  test("cannot read runs, and a key with neither scope is refused before its body is read", async () => {
    const org = await newOrg();
    const key = await mint(org);
    expect(seen(await call("GET", "/v1/runs", { key: key.secret }))).toEqual([403, "missing_scope"]);
    const neither = await mint(org, { scopes: ["runs:read"] });
    const refused = await call("POST", "/v1/runs", { key: neither.secret, body: "not json" });
    expect(seen(refused)).toEqual([403, "missing_scope"]);
    expect(refused.body.error.details).toEqual({ required: "runs:write" });
    const viewer = await mint(org, { role: "viewer", scopes: ["runs:read"] });
    expect(seen(await sendOne(viewer, { reservation_id: await reserve(key) }))).toEqual([403, "forbidden"]);
  });
});

test("a key with runs:write alone sends any run, as before", async () => {
  const org = await newOrg();
  const key = await mint(org, WRITES);
  expect((await sendOne(key, {})).status).toBe(201);
  expect((await sendOne(key, { reservation_id: await reserve(org.ownerKey) })).status).toBe(201);
  expect(seen(await decide(key))).toEqual([403, "missing_scope"]);
});

describe("a key that was revoked", () => {
  test("settles what it reserved itself, once, alone and in bulk", async () => {
    const org = await newOrg();
    const budget = await budgetOf(org);
    const key = await mint(org);
    const [one, ...rest] = [await reserve(key), await reserve(key), await reserve(key)];
    await revoke(org, key);
    const from = freshAddress();
    const run = { id: "r", reservation_id: one, cost_usd: "0.5" };
    expect((await sendOne(key, run, { from })).status).toBe(201);
    expect((await sendOne(key, run, { from })).status).toBe(200);
    expect(seen(await sendOne(key, { ...run, id: "s" }, { from }))).toEqual([409, "conflict"]);
    const many = await sendMany(
      key,
      rest.map((reservation_id) => ({ reservation_id, cost_usd: "0.5" })),
      { from },
    );
    expect(many.body).toMatchObject({ accepted: 2, rejected: 0 });
    expect(await budget()).toEqual(["1.50", "0.00"]);
  });

  test("settles what an isolate reserved for it without asking", async () => {
    const org = await newOrg();
    const budget = await budgetOf(org, "100000");
    const key = await mint(org);
    lengthenLives(BUSY_MS);
    const made: Answer[] = [];
    for (let at = 0; at < 300; at += 1) made.push(await decide(key));
    const edge = made.filter(({ headers }) => headers.get("x-svc-decided") === "edge");
    expect(edge.length).toBeGreaterThan(50);
    await revoke(org, key);
    const runs = edge.map(({ body }) => ({ reservation_id: body.reservation.id, cost_usd: "1" }));
    const { body } = await sendMany(key, runs, { from: freshAddress() });
    expect(body).toMatchObject({ accepted: edge.length, rejected: 0 });
    expect((await budget())[0]).toBe(`${edge.length}.00`);
  });

  test("settles what no isolate has reported yet, if its id is real", async () => {
    const org = await newOrg({ environment: "test" });
    const budget = await budgetOf(org, "100");
    const key = await mint(org);
    const ids = new ReservationIds(env.SVC_KEY_PEPPER, org.id);
    const [one, other] = [ids.newId(Date.now()), ids.newId(Date.now())];
    await priceOf(org);
    await revoke(org, key);
    await advance(org, NEVER_REPORTED_SECONDS);
    const forged = `${one.slice(0, -1)}${one.endsWith("0") ? "1" : "0"}`;
    const { body } = await sendMany(key, [{ reservation_id: one }, { reservation_id: forged }], {
      from: freshAddress(),
    });
    expect(body).toMatchObject({ accepted: 1, rejected: 1 });
    expect((await sendOne(key, { reservation_id: other }, { from: freshAddress() })).status).toBe(201);
    expect(await budget()).toEqual(["2.00", "0.00"]);
  });

  test("gets the same refusal for everything else, and changes nothing", async () => {
    const [org, elsewhere] = [await newOrg(), await newOrg()];
    const budget = await budgetOf(org);
    const [key, other] = [await mint(org), await mint(org)];
    const theirs = await reserve(other);
    await sendOne(await mint(org, WRITES), { id: "known" });
    await revoke(org, key);
    const before = await budget();
    const tries = {
      "another key's reservation": { reservation_id: theirs },
      "another org's reservation": { reservation_id: await reserve(elsewhere.ownerKey) },
      "an invented reservation": { reservation_id: "rsv_01J9ZJ4Q4N8V3K6W5T2R1P0M7C" },
      "no reservation": {},
      "a known run": { id: "known" },
      "an incurred run": { incurred: true },
      "a malformed run": { usage: 1 },
    };
    const answers = new Set<string>();
    for (const run of Object.values(tries)) {
      for (const send of [
        sendOne(key, run, { from: freshAddress() }),
        sendMany(key, [run], { from: freshAddress() }),
      ]) {
        const answer = await send;
        expect(seen(answer)).toEqual([410, "gone"]);
        answers.add(answer.text);
      }
    }
    expect(answers.size).toBe(1);
    expect(await budget()).toEqual(before);
    expect((await sendOne(other, { reservation_id: theirs })).status).toBe(201);
  });

  test("has each run of a bulk judged by itself", async () => {
    const org = await newOrg();
    const [key, other] = [await mint(org), await mint(org)];
    const [own, theirs] = [await reserve(key), await reserve(other)];
    await revoke(org, key);
    const { body } = await sendMany(
      key,
      [{ reservation_id: theirs }, { id: "own", reservation_id: own }, {}],
      { from: freshAddress() },
    );
    expect(body.results.map((one: { error?: { code: string } }) => one.error?.code ?? "accepted")).toEqual([
      "gone",
      "accepted",
      "gone",
    ]);
  });

  test("decides, renews, releases and reads nothing", async () => {
    const org = await newOrg();
    const key = await mint(org, { scopes: [...DECIDES.scopes, "runs:read", "runs:write"] });
    const id = await reserve(key);
    await revoke(org, key);
    const from = freshAddress();
    const path = `/v1/edge/decision/${id}`;
    const body = { estimate: { cost_usd: "1" } };
    const exchange = { version: 1, holder: "gate-for-tests", ask: body, ids: 5 };
    for (const [method, to, sent] of [
      ["POST", "/v1/edge/decision", body],
      ["POST", `${path}/renew`, {}],
      ["DELETE", path, undefined],
      ["GET", "/v1/runs", undefined],
      ["POST", "/v1/edge/leases", exchange],
      ["POST", "/v1/edge/leases", { ...exchange, ask: undefined }],
    ] as const) {
      const answer = await call(method, to, {
        key: key.secret,
        from,
        ...(sent === undefined ? {} : { body: sent }),
      });
      expect(seen(answer)).toEqual([410, "gone"]);
    }
  });

  test("is not answered with what was stored under an idempotency key, and needs none", async () => {
    const org = await newOrg();
    const key = await mint(org, { scopes: [...DECIDES.scopes, "runs:write"] });
    const headers = { "idempotency-key": "k" };
    expect((await sendOne(key, { id: "a" }, { headers })).status).toBe(201);
    const reservation_id = await reserve(key);
    await revoke(org, key);
    const from = freshAddress();
    expect(seen(await sendOne(key, { id: "a" }, { headers, from }))).toEqual([410, "gone"]);
    expect((await sendMany(key, [{ reservation_id }], { headers, from })).body.accepted).toBe(1);
  });

  test("is slowed down like a guess after ten refusals", async () => {
    const org = await newOrg();
    const key = await mint(org);
    const own = await reserve(key);
    await revoke(org, key);
    const from = freshAddress();
    const refused = () => sendOne(key, {}, { from });
    for (let at = 0; at < 10; at += 1) expect(seen(await refused())).toEqual([410, "gone"]);
    // Each refusal doubles the wait, so that a slow machine meets one, too.
    let slowed = await refused();
    while (slowed.status === 410) slowed = await refused();
    expect(seen(slowed)).toEqual([429, "rate_limited"]);
    expect(Number(slowed.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await sendOne(key, { reservation_id: own }, { from: freshAddress() })).status).toBe(201);
  });

  test("takes nothing from the org's rate limits", async () => {
    const org = await newOrg();
    const key = await mint(org);
    const own = [await reserve(key), await reserve(key), await reserve(key)];
    await revoke(org, key);
    const policy = {
      name: "p",
      match: {},
      unit: "requests",
      limit: 2,
      window_seconds: 2_592_000,
      kind: "quota",
    };
    const body = { read_rpm: null, policies: [policy] };
    await call("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, { key: operatorKey(), body });
    for (const reservation_id of own) {
      expect((await sendOne(key, { reservation_id }, { from: freshAddress() })).status).toBe(201);
    }
    const live = { secret: org.ownerKey, id: "" };
    expect([(await sendOne(live, {})).status, (await sendOne(live, {})).status]).toEqual([201, 201]);
    expect(seen(await sendOne(live, {}))).toEqual([429, "quota_exhausted"]);
  });

  test("settles nothing for an org that is suspended, from an address that is not allowed, or with an old secret", async () => {
    const org = await newOrg();
    const key = await mint(org);
    const reservation_id = await reserve(key);
    const rotated = await call("POST", `/v1/orgs/${org.id}/keys/${key.id}/rotate`, {
      key: org.ownerKey,
      body: {},
    });
    expect(rotated.status).toBe(200);
    await revoke(org, key);
    expect(seen(await sendOne(key, { reservation_id }, { from: freshAddress() }))).toEqual([
      401,
      "unauthorized",
    ]);
    const current = { id: key.id, secret: rotated.body.key };
    const only = { ip_allow_list: ["203.0.113.0/24"] };
    await call("PATCH", `/v1/orgs/${org.id}`, { key: org.ownerKey, body: only });
    expect(seen(await sendOne(current, { reservation_id }, { from: freshAddress() }))).toEqual([410, "gone"]);
    await call("POST", `/v1/admin/orgs/${org.id}/suspend`, { key: operatorKey() });
    expect(seen(await sendOne(current, { reservation_id }))).toEqual([410, "gone"]);
    await call("POST", `/v1/admin/orgs/${org.id}/resume`, { key: operatorKey() });
    // The isolate may know the org as suspended for a moment longer.
    const allowed = () => `203.0.113.${(addresses += 1)}`;
    await expect
      .poll(async () => (await sendOne(current, { id: "r", reservation_id }, { from: allowed() })).status)
      .toBe(201);
  });
});

describe("for a day after its end, and no longer,", () => {
  test.each([
    ["revoked", "gone", 410],
    ["expired", "key_expired", 401],
  ] as const)("a key that has %s settles", async (how, code, status) => {
    const org = await newOrg({ environment: "test" });
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const key = await mint(org, how === "expired" ? { ...DECIDES, expires_at: end } : DECIDES);
    const [first, last] = [await reserve(key), await reserve(key)];
    if (how === "revoked") await revoke(org, key);
    else await advance(org, 3600);
    const from = freshAddress();
    expect(seen(await decide(key))).toEqual([status, code]);
    await advance(org, 86_000);
    expect((await sendOne(key, { reservation_id: first }, { from })).status).toBe(201);
    await advance(org, 500);
    expect(seen(await sendOne(key, { reservation_id: last }, { from }))).toEqual([status, code]);
    expect(seen(await sendMany(key, [{ reservation_id: last }], { from }))).toEqual([status, code]);
    expect((await sendOne(await mint(org), { reservation_id: last })).status).toBe(201);
  });
});

describe("a gate whose key was revoked", () => {
  test("reports what it has held, and the runs of all its calls are recorded", async () => {
    const org = await newOrg();
    const budget = await budgetOf(org, "100000");
    const key = await mint(org);
    const gate = gateOf(key.secret);
    const allowed = [];
    while (gate.stats.allowedHere <= 100) allowed.push(await gate.decide({ estimate: { cost_usd: "1" } }));
    const revoked = revoke(org, key);
    const until = Date.now() + 300;
    try {
      while (Date.now() < until) {
        allowed.push(await gate.decide({ estimate: { cost_usd: "1" } }));
        await scheduler.wait(1);
      }
    } catch {
      // The key has ended.
    }
    await revoked;
    await expect(gate.decide({ estimate: { cost_usd: "1" } })).rejects.toThrow();
    for (const one of allowed) {
      gate.settle(one, { model: "m", usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: "0.5" });
    }
    // On a slow machine, a bulk may be given up and sent again.
    await expect.poll(async () => (await gate.flush(), gate.stats.runsQueued)).toBe(0);
    await gate.close();
    expect(gate.stats).toMatchObject({ runsQueued: 0, runsSent: allowed.length, runsRejected: 0 });
    expect((await budget())[0]).toBe((allowed.length / 2).toFixed(2));
  });

  test("gets no slices, no ids and no word of limits with its last report", async () => {
    const org = await newOrg();
    await budgetOf(org, "100");
    const key = await mint(org);
    const { OutsideGate } = await import("../support/outside-gate.ts");
    const gate = new OutsideGate(key.secret);
    await gate.learn();
    expect(await gate.lease(500_000_000)).toBeGreaterThan(0);
    const line = gate.line(1_000_000);
    await revoke(org, key);
    const { status, body } = await gate.report({ lines: [line], want: 10, left: 1000, watch: gate.keys });
    expect(status).toBe(200);
    expect(body).toMatchObject({ valid_ms: 0, ids: [], refused: [], verdict: null });
    expect(body.leases).toMatchObject({ slices: [], rates: [], usage: [] });
    const run = { reservation_id: line.slice(0, 30), cost_usd: "0.001" };
    expect((await sendOne(key, run, { from: freshAddress() })).status).toBe(201);
  });
});

/** What a key may say of a run that settles a reservation, if it may send no others. */
const NAMES = {
  customer_id: "c1",
  user_id: "u1",
  workflow_id: "w1",
  deployment_id: "d1",
  department_id: "p1",
  provider: "prov1",
  action: "act1",
  model: "acme/m1",
  tags: { team: "t1" },
  chain: { chain_id: "ch1" },
};
const OTHERS: readonly [string, object][] = [
  ["customer_id", { customer_id: "c2" }],
  ["user_id", { user_id: "u2" }],
  ["workflow_id", { workflow_id: "w2" }],
  ["deployment_id", { deployment_id: "d2" }],
  ["department_id", { department_id: "p2" }],
  ["provider", { provider: "prov2" }],
  ["action", { action: "act2" }],
  ["approval_id", { approval_id: "apr_2" }],
  ["model", { model: "acme/m2" }],
  ["variant", { variant: "priority" }],
  ["tags", { tags: { team: "t2" } }],
  ["tags", { tags: { team: "t1", other: "t" } }],
  ["chain", { chain: { chain_id: "ch2" } }],
];

interface BoundKey {
  readonly key: Key;
  /** Ends the key, if that is what binds it. */
  readonly end: () => Promise<unknown>;
}

const BOUND = {
  "was revoked": async (org: TestOrg): Promise<BoundKey> => {
    const key = await mint(org, { scopes: [...DECIDES.scopes, "runs:write"] });
    return { key, end: () => revoke(org, key) };
  },
  "has expired": async (org: TestOrg): Promise<BoundKey> => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const key = await mint(org, { scopes: [...DECIDES.scopes, "runs:write"], expires_at });
    const body = { advance_seconds: 3600 };
    const path = `/v1/admin/orgs/${org.id}/test-clock`;
    return { key, end: () => call("POST", path, { key: operatorKey(), body }) };
  },
  "has no runs:write": async (org: TestOrg): Promise<BoundKey> => ({
    key: await mint(org),
    end: () => Promise.resolve(),
  }),
};

const SENT = {
  "by itself": (key: Key, run: object) => sendOne(key, run, { from: freshAddress() }),
  "in bulk": async (key: Key, run: object) => {
    const answer = await sendMany(key, [run], { from: freshAddress() });
    const { id, status } = answer.body.results?.[0] ?? {};
    return id === undefined ? answer : { ...answer, status: status === "accepted" ? 201 : 200, body: { id } };
  },
} as const;

describe.each(Object.keys(BOUND) as (keyof typeof BOUND)[])("a run of a key that %s, sent", (how) => {
  describe.each(Object.keys(SENT) as (keyof typeof SENT)[])("%s,", (way) => {
    const send = SENT[way];
    async function begun() {
      const org = await newOrg({ environment: "test" });
      const budget = await budgetOf(org);
      const { key, end } = await BOUND[how](org);
      const shown = async ({ body }: Answer) =>
        (await call("GET", `/v1/runs/${body.id}`, { key: org.ownerKey })).body;
      return { org, budget, key, end, shown };
    }

    test("is recorded for at most what was reserved, and under the names of its reservation", async () => {
      const { budget, key, end, shown } = await begun();
      const variant = "batch";
      const { reservation } = (await decide(key, { ...NAMES, variant, estimate: { cost_usd: "0.001" } }))
        .body;
      await end();
      const usage = { input_tokens: 900_000_000, output_tokens: 900_000_000 };
      const sent = await send(key, { reservation_id: reservation.id, cost_usd: "5000", usage });
      expect(sent.status).toBe(201);
      const run = await shown(sent);
      expect(run).toMatchObject({
        ...NAMES,
        cost_usd: "0.001",
        estimated: true,
        usage: { input_tokens: 2_097_152, output_tokens: 262_144 },
      });
      expect(await budget()).toEqual(["0.001", "0.00"]);
    });

    test("is recorded as it says if that is less, and once", async () => {
      const { budget, key, end, shown } = await begun();
      const { reservation } = (await decide(key, NAMES)).body;
      await end();
      const run = { id: "r", reservation_id: reservation.id, cost_usd: "0.25", ...NAMES };
      const sent = await send(key, run);
      expect(await shown(sent)).toMatchObject({ ...NAMES, cost_usd: "0.25", estimated: false });
      expect((await send(key, { ...run, customer_id: undefined })).status).toBe(200);
      expect(await budget()).toEqual(["0.25", "0.00"]);
    });

    test("is refused if it names something else than its reservation", async () => {
      const { budget, key, end } = await begun();
      const ask = { ...NAMES, variant: "batch" };
      const named = (await decide(key, ask)).body.reservation.id as string;
      const unnamed = (await decide(key)).body.reservation.id as string;
      await end();
      const before = await budget();
      for (const [field, other] of OTHERS) {
        const refused = await send(key, { reservation_id: named, ...other });
        expect([field, ...seen(refused)]).toEqual([field, 403, "forbidden"]);
        expect(refused.body.error.details).toEqual({ field });
      }
      // The run must say a model, and the provider says a variant.
      const free = new Set(["model", "variant"]);
      for (const [field, other] of OTHERS.filter(([name]) => !free.has(name))) {
        const refused = await send(key, { reservation_id: unnamed, ...other });
        expect([field, ...seen(refused)]).toEqual([field, 403, "forbidden"]);
      }
      expect(await budget()).toEqual(before);
      expect((await send(key, { reservation_id: unnamed, variant: "batch", cost_usd: "1" })).status).toBe(
        201,
      );
    });

    test("costs what its usage does at the price of the model that was reserved, as far as one call can have it", async () => {
      const { org, key, end, shown } = await begun();
      const set = (model: string, more: object = {}) =>
        call("PUT", `/v1/orgs/${org.id}/models/${model}`, {
          key: org.ownerKey,
          body: { input_usd_per_mtok: "10", output_usd_per_mtok: "10", ...more },
        });
      await set("priced", { context_window: 4000, max_output_tokens: 1000, units: { search: "0.5" } });
      await set("plain");
      const reserved = async (model: string | undefined, estimate: object) =>
        (await decide(key, { ...(model === undefined ? {} : { model }), estimate })).body.reservation
          .id as string;
      const small = { input_tokens: 100, max_output_tokens: 100 };
      const ids = [
        await reserved("priced", small),
        await reserved("priced", small),
        await reserved("plain", small),
        await reserved(undefined, { cost_usd: "0.001" }),
        await reserved("priced", { ...small, units: { search: 1 } }),
        await reserved("priced", { input_tokens: 100, max_output_tokens: 5000 }),
      ];
      await end();
      const costOf = async (at: number, model: string, usage: object) => {
        const sent = await send(key, { reservation_id: ids[at], model, usage, cost_usd: undefined });
        expect([at, sent.status]).toEqual([at, 201]);
        const { cost_usd, estimated } = await shown(sent);
        return [cost_usd, estimated];
      };
      const most = 1_000_000_000_000;
      expect(await costOf(0, "priced", { input_tokens: 3000, output_tokens: 500 })).toEqual(["0.035", false]);
      expect(await costOf(1, "priced", { input_tokens: most, output_tokens: most })).toEqual(["0.05", true]);
      expect(await costOf(2, "plain", { input_tokens: most, output_tokens: most })).toEqual([
        "23.59296",
        true,
      ]);
      expect(await costOf(3, "priced", { input_tokens: 3000, output_tokens: 500 })).toEqual(["0.001", true]);
      const searches = { input_tokens: 100, output_tokens: 100, units: { search: 100 } };
      expect(await costOf(4, "priced", searches)).toEqual(["0.502", true]);
      expect(await costOf(5, "priced", { input_tokens: 100, output_tokens: 4000 })).toEqual(["0.041", false]);
    });
  });
});

describe("a reservation that nobody has reported", () => {
  test("is settled without runs:write, or by an ended key, only as far as limits have room", async () => {
    const org = await newOrg({ environment: "test" });
    const budget = await budgetOf(org, "10");
    await priceOf(org, "1000000");
    const [live, ended] = [await mint(org), await mint(org)];
    await revoke(org, ended);
    const ids = new ReservationIds(env.SVC_KEY_PEPPER, org.id);
    const made = [live, ended].map((key) => ({ key, reservation_id: ids.newId(Date.now()) }));
    await advance(org, NEVER_REPORTED_SECONDS);
    for (const { key, reservation_id } of made) {
      const from = freshAddress();
      expect(seen(await sendOne(key, { reservation_id, cost_usd: "12" }, { from }))).toEqual([
        402,
        "budget_exceeded",
      ]);
      expect((await sendOne(key, { reservation_id, cost_usd: "2" }, { from })).status).toBe(201);
    }
    expect(await budget()).toEqual(["4.00", "0.00"]);
  });

  test("is settled by such a key under no names, for at most the price of tokens that one call can have", async () => {
    const org = await newOrg({ environment: "test" });
    const budget = await budgetOf(org, "100000");
    await priceOf(org, "10", { context_window: 4000, max_output_tokens: 1000, units: { search: "0.5" } });
    const [live, ended] = [await mint(org), await mint(org)];
    await revoke(org, ended);
    const ids = new ReservationIds(env.SVC_KEY_PEPPER, org.id);
    const most = { input_tokens: 1_000_000_000, output_tokens: 1_000_000_000, units: { search: 1_000_000 } };
    const others = OTHERS.filter(([name]) => name !== "model" && name !== "variant");
    const newId = () => ids.newId(Date.now());
    const requestId = (fingerprint: string) => ids.idOf(`r-${fingerprint}`, fingerprint, Date.now());
    const made = [
      { key: live, reservation_id: newId(), another: newId() },
      { key: ended, reservation_id: newId(), another: newId() },
      { key: live, reservation_id: requestId("f"), another: requestId("g") },
    ];
    await advance(org, NEVER_REPORTED_SECONDS);
    for (const { key, reservation_id, another } of made) {
      const from = freshAddress();
      const named = others.map(([, other]) => ({ reservation_id, ...other }));
      const { body } = await sendMany(key, [...named, {}], { from });
      const errors = body.results.map(({ error }: { error: { code: string; details: object } }) => error);
      expect(errors.slice(0, -1)).toMatchObject(
        others.map(([field]) => ({ code: "forbidden", details: { field } })),
      );
      const unpriced = await sendOne(key, { reservation_id, model: "acme/none" }, { from });
      expect([...seen(unpriced), unpriced.body.error.details]).toEqual([
        403,
        "forbidden",
        { field: "cost_usd" },
      ]);
      const run = { id: `run-of-${reservation_id}`, reservation_id, usage: most };
      const sent = await sendOne(key, { ...run, cost_usd: "5000" }, { from });
      expect([sent.status, sent.body.cost_usd, sent.body.estimated]).toEqual([201, "0.05", true]);
      if (key === live) expect((await sendOne(key, { ...run, cost_usd: "5000" }, { from })).status).toBe(200);
      const other = { reservation_id: another, usage: most, cost_usd: undefined };
      expect((await sendOne(key, other, { from })).body).toMatchObject({ cost_usd: "0.05", estimated: true });
    }
    expect(await budget()).toEqual(["0.30", "0.00"]);
  });

  test("waits for the report of an isolate that has just made it, and any key with runs:write settles it now", async () => {
    const org = await newOrg();
    await priceOf(org);
    const [live, ended, writer] = [await mint(org), await mint(org), await mint(org, WRITES)];
    await revoke(org, ended);
    const reservation_id = new ReservationIds(env.SVC_KEY_PEPPER, org.id).newId(Date.now());
    for (const key of [live, ended]) {
      for (const send of Object.values(SENT)) {
        const refused = await send(key, { reservation_id });
        expect(seen(refused)).toEqual([503, "service_unavailable"]);
        expect(refused.headers.get("retry-after")).toBe("1");
      }
    }
    expect((await sendOne(writer, { reservation_id, customer_id: "c", cost_usd: "3" })).status).toBe(201);
  });

  test("and that a gate outside had the id for is no key's that has ended, and no other's without runs:write", async () => {
    const { OutsideGate } = await import("../support/outside-gate.ts");
    const org = await newOrg();
    const budget = await budgetOf(org);
    await priceOf(org);
    const [key, writer] = [await mint(org), await mint(org, WRITES)];
    const packs = `/v1/orgs/${org.id}/credit-packs`;
    const given = { customer_id: "cust_b", amount_usd: "50" };
    const pack = await call("POST", packs, { key: org.ownerKey, body: given });
    expect(pack.status).toBe(201);
    const gate = new OutsideGate(key.secret);
    await gate.learn();
    const [one, other, ...rest] = gate.ids;
    const before = await budget();
    for (const run of [
      { reservation_id: one, customer_id: "cust_b", cost_usd: "50" },
      { reservation_id: one, cost_usd: "5000" },
      { reservation_id: one, cost_usd: undefined },
    ]) {
      expect(seen(await sendOne(key, run))).toEqual([503, "service_unavailable"]);
    }
    const many = rest.slice(0, 10).map((reservation_id) => ({ reservation_id, cost_usd: "1000000" }));
    expect(seen(await sendMany(key, many))).toEqual([503, "service_unavailable"]);
    expect(await budget()).toEqual(before);
    const left = await call("GET", `${packs}/${pack.body.id}`, { key: org.ownerKey });
    expect(left.body.remaining_usd).toBe("50.00");
    expect((await sendOne(writer, { reservation_id: one, cost_usd: "1" })).status).toBe(201);
    await revoke(org, key);
    for (const send of [SENT["by itself"], SENT["in bulk"]]) {
      expect(seen(await send(key, { reservation_id: other }))).toEqual([410, "gone"]);
    }
    expect(await budget()).toEqual(["1.00", "0.00"]);
  });

  test("is settled by a key without runs:write once its gate has reported it", async () => {
    const { OutsideGate } = await import("../support/outside-gate.ts");
    const org = await newOrg();
    const budget = await budgetOf(org);
    const key = await mint(org);
    const gate = new OutsideGate(key.secret);
    await gate.learn();
    expect(await gate.lease(500_000_000)).toBeGreaterThan(0);
    const line = gate.line(1_000_000);
    const run = { reservation_id: line.slice(0, 30), cost_usd: "5000" };
    expect(seen(await sendOne(key, run))).toEqual([503, "service_unavailable"]);
    expect((await gate.report({ lines: [line] })).status).toBe(200);
    expect((await sendOne(key, run)).body).toMatchObject({ cost_usd: "0.001", estimated: true });
    expect((await budget())[0]).toBe("0.001");
  });
});

describe("what a gate has reserved, settled by its key once that was revoked,", () => {
  const CALL = { ...NAMES, estimate: { cost_usd: "0.01" } };

  test("has the names that its report said, whichever gate it was", async () => {
    const org = await newOrg();
    const budget = await budgetOf(org, "100000");
    const key = await mint(org);
    lengthenLives(BUSY_MS);
    const gate = gateOf(key.secret);
    const own: string[] = [];
    while (gate.stats.allowedHere < 20) {
      const before = gate.stats.allowedHere;
      const { reservation } = await gate.decide(CALL);
      if (gate.stats.allowedHere > before) own.push(reservation?.id ?? "");
    }
    const atEdge: string[] = [];
    for (let at = 0; at < 400 && atEdge.length < 20; at += 1) {
      const { body, headers } = await decide(key, CALL);
      if (headers.get("x-svc-decided") === "edge") atEdge.push(body.reservation.id);
    }
    expect(atEdge).toHaveLength(20);
    await gate.flush();
    await revoke(org, key);
    for (const [id, more] of [own, atEdge]) {
      for (const [field, other] of OTHERS.filter(([name]) => name !== "variant")) {
        const refused = await sendOne(key, { reservation_id: id, ...other }, { from: freshAddress() });
        expect([field, ...seen(refused)]).toEqual([field, 403, "forbidden"]);
      }
      const sent = await sendOne(key, { reservation_id: id, cost_usd: "5000" }, { from: freshAddress() });
      expect(sent.body).toMatchObject({ ...NAMES, cost_usd: "0.01", estimated: true });
      const named = { ...NAMES, reservation_id: more, cost_usd: "0.005" };
      expect((await sendOne(key, named, { from: freshAddress() })).status).toBe(201);
    }
    expect((await budget())[0]).toBe("0.03");
    await gate.close();
  });

  test("is no run of a gate that names something else: it is told, and nothing waits for it", async () => {
    const org = await newOrg();
    const key = await mint(org);
    const dropped: unknown[] = [];
    const gate = gateOf(key.secret, { onError: (error) => dropped.push(error) });
    const usage = { input_tokens: 1, output_tokens: 1 };
    const [one, other] = [await gate.decide(CALL), await gate.decide(CALL)];
    await revoke(org, key);
    gate.settle(one, { model: "acme/m1", usage, cost_usd: "0.01", customer_id: "c2" });
    await gate.flush();
    expect(dropped).toMatchObject([{ code: "forbidden" }]);
    gate.settle(other, { model: "acme/m1", usage, cost_usd: "0.01" });
    await gate.flush();
    expect(gate.stats).toMatchObject({ runsQueued: 0, runsSent: 1, runsRejected: 1 });
    await gate.close();
  });
});
