import { describe, expect, test } from "vitest";
import { run as runShape } from "../../src/contract/resources/runs/runs.ts";
import { aRun, newSpender } from "../support/ledger.ts";
import { storedRuns, storeRuns } from "../support/stored-runs.ts";
import { call } from "../support/worker.ts";

describe("a run", () => {
  test("is recorded and read back as it was reported", async () => {
    const org = await newSpender();
    const made = await org.run({ id: "r-1", workflow_id: "w", metadata: { a: 1 }, cost_usd: "0.000000021" });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      id: "r-1",
      cost_usd: "0.000000021",
      workflow_id: "w",
      metadata: { a: 1 },
    });
    const read = await call("GET", "/v1/runs/r-1", { key: org.key });
    expect(read.body).toEqual(made.body);
  });

  test("sent again with its id is a duplicate, and with other content a conflict", async () => {
    const org = await newSpender();
    const first = await org.run({ id: "r-1" });
    const again = await org.run({ id: "r-1" });
    expect([again.status, again.body]).toEqual([200, first.body]);
    const other = await org.run({ id: "r-1", cost_usd: "2" });
    expect([other.status, other.body.error.code]).toEqual([409, "conflict"]);
    expect(await org.events("run.recorded")).toHaveLength(1);
  });

  test("is answered in the form of the contract, whatever it has", async () => {
    const org = await newSpender();
    const decided = await call("POST", "/v1/edge/decision", {
      key: org.key,
      body: { estimate: { cost_usd: "0.01" } },
    });
    const all = aRun({
      id: "all",
      ended_at: new Date().toISOString(),
      action: "a",
      workflow_id: "w",
      deployment_id: "d",
      department_id: "p",
      customer_id: "c",
      user_id: "u",
      provider: "acme",
      tags: { team: "support" },
      chain: { chain_id: "x" },
      usage: { input_tokens: 9, output_tokens: 9, cache_read_tokens: 1, units: { image: 2 } },
      variant: "batch",
      outcome: "failed",
      estimated: true,
      incurred: true,
      requested_model: "large",
      fallback: "cheaper",
      metadata: { a: { b: 1 } },
    });
    const settling = aRun({ reservation_id: decided.body.reservation.id });
    for (const one of [all, all, aRun(), settling]) {
      const { body } = await org.run(one);
      expect(body.error).toBeUndefined();
      expect(runShape.safeParse(body)).toEqual({ success: true, data: body });
    }
  });

  test("that is malformed is refused with each wrong field", async () => {
    const org = await newSpender();
    const { status, body } = await org.run({ usage: { input_tokens: -1, output_tokens: 1 }, surprise: 1 });
    const fields = body.error.details.fields.map(({ field }: { field: string }) => field);
    expect([status, fields.toSorted()]).toEqual([422, ["surprise", "usage.input_tokens"]]);
  });

  test("of an unpriced model without a cost is refused, never free", async () => {
    const org = await newSpender();
    const refused = await org.run({ cost_usd: undefined });
    expect(refused.status).toBe(422);
    expect(refused.body.error.details.fields[0]).toMatchObject({ field: "model", code: "no_price" });
  });
});

describe("a batch", () => {
  test("records each run separately, in order, and reports duplicates", async () => {
    const org = await newSpender();
    const answer = await org.bulk([
      aRun({ id: "a" }),
      aRun({ id: "a" }),
      aRun({ id: "a", cost_usd: "9" }),
      aRun(),
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ accepted: 2, duplicates: 1, rejected: 1 });
    expect(answer.body.results.map((one: { status: string }) => one.status)).toEqual([
      "accepted",
      "duplicate",
      "rejected",
      "accepted",
    ]);
  });

  test("announces once what its accepted runs cost together, of whatever kinds they are", async () => {
    const org = await newSpender();
    await org.bulk([
      aRun({ id: "a" }),
      aRun({ id: "b", customer_id: "c", cost_usd: "2" }),
      aRun({ id: "b", customer_id: "c", cost_usd: "2" }),
      aRun({ id: "c", model: "acme/m2", cost_usd: "4" }),
      aRun({ id: "d", started_at: "2026-11-14T02:00:00Z", cost_usd: "8" }),
    ]);
    const announced = await org.events("run.recorded");
    expect(announced.map(({ data }) => data)).toMatchObject([
      { run_ids: ["a", "b", "c", "d"], count: 4, cost_usd: "15.00" },
    ]);
  });

  test("announces the limit that refused some of its runs", async () => {
    const org = await newSpender();
    await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "1.5", period: "day" });
    const answer = await org.bulk([aRun(), aRun(), aRun({ cost_usd: "0.25" })]);
    expect(answer.body).toMatchObject({ accepted: 2, duplicates: 0, rejected: 1 });
    expect(await org.events("budget.exceeded")).toHaveLength(1);
  });

  test("is judged by rules as its runs are alone, whatever they leave out", async () => {
    const org = await newSpender();
    const when = 'has(run.outcome) && run.outcome == "completed" && !has(run.user_id)';
    const rule = { target: "model", effect: "deny", when, reason: "no" };
    const made = await org.send("POST", "policy-rules", rule);
    expect(made.status).toBe(201);
    const runs = [
      { action: "x", user_id: "u" },
      { action: "x" },
      { action: "x", outcome: "failed" },
      { action: "x" },
    ];
    const alone: number[] = [];
    for (const run of runs) alone.push((await org.run(run)).status);
    const together = await org.bulk(runs.map(aRun));
    const statuses = together.body.results.map((one: { status: string }) => one.status);
    expect([alone, statuses]).toEqual([
      [201, 403, 201, 403],
      ["accepted", "rejected", "accepted", "rejected"],
    ]);
  });

  test("with a malformed run is refused as a whole, naming the run", async () => {
    const org = await newSpender();
    const runs = Array.from({ length: 1000 }, (_, i) => aRun(i === 699 ? { cost_usd: "-1" } : {}));
    const refused = await org.bulk(runs);
    expect(refused.status).toBe(422);
    expect(refused.body.error.details.fields[0].field).toBe("runs[699].cost_usd");
    const listed = await call("GET", "/v1/runs", { key: org.key });
    expect(listed.body.data).toEqual([]);
  });
});

test("runs are listed page by page, by start or by cost, and filtered", async () => {
  const org = await newSpender();
  const costs = ["9007199.254740993", "9007199.254740992", "3", "9007199.254740994", "1"];
  await org.bulk(costs.map((cost_usd, i) => aRun({ id: `r${i}`, cost_usd, model: i === 2 ? "x" : "y" })));
  const seen: string[] = [];
  let cursor = "";
  for (let page = 0; page < 5; page++) {
    const listed = await call("GET", `/v1/runs?limit=2&sort=-cost_usd${cursor}`, { key: org.key });
    seen.push(...listed.body.data.map((run: { id: string }) => run.id));
    if (listed.body.next_cursor === null) break;
    cursor = `&cursor=${listed.body.next_cursor}`;
  }
  expect(seen).toEqual(["r3", "r0", "r1", "r2", "r4"]);
  const filtered = await call("GET", "/v1/runs?model=x&from=2026-11-15&to=2026-11-16", { key: org.key });
  expect(filtered.body.data.map((run: { id: string }) => run.id)).toEqual(["r2"]);
});

test("runs that started within the same seconds are listed by start, each once, in both directions", async () => {
  const org = await newSpender();
  const base = Date.parse("2026-11-15T02:00:00Z");
  const starts = Array.from({ length: 120 }, (_, i) => base + ((i * 7919) % 41) * 70 - 500);
  const ids = starts.map((_, i) => `r${String(i).padStart(3, "0")}`);
  await org.bulk(starts.map((at, i) => aRun({ id: ids[i], started_at: new Date(at).toISOString() })));
  const inOrder = ids.toSorted((a, b) => {
    const [left = 0, right = 0] = [a, b].map((id) => starts[ids.indexOf(id)]);
    return left - right || (a < b ? -1 : 1);
  });
  const [from, to] = [base + 80, base + 2010];
  const within = inOrder.filter((id) => {
    const at = starts[ids.indexOf(id)] ?? 0;
    return at >= from && at < to;
  });
  const range = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
  for (const [query, expected] of [
    ["sort=started_at", inOrder],
    ["sort=-started_at", inOrder.toReversed()],
    [`sort=started_at&${range}`, within],
    [`sort=-started_at&${range}`, within.toReversed()],
  ] as const) {
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const at: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page = await call("GET", `/v1/runs?limit=7&${query}${at}`, { key: org.key });
      seen.push(...page.body.data.map((run: { id: string }) => run.id));
      cursor = page.body.next_cursor;
    }
    expect(seen).toEqual(expected);
  }
  expect(within.length).toBeGreaterThan(30);
});

describe("a rare run among very many", () => {
  const RARE = [5, 90_000, 160_000, 160_001, 249_999];

  /**
   * Copies of one run. From the 130,000th on, 120,000 have the same start time. Each block contains the rare customer,
   * with another model.
   */
  async function crowd(): Promise<string> {
    const org = await newSpender();
    await org.run({ id: "first", customer_id: "usual" });
    const [first] = await storedRuns(org.id);
    if (first === undefined) throw new Error("the first run is not stored");
    await storeRuns(org.id, 250_000, (i) => ({
      ...first,
      id: `r${String(i).padStart(6, "0")}`,
      startedAt: first.startedAt + Math.min(i, 130_000) + 1,
      ...(i % 1000 === 7 ? { model: "other", customerId: "rare" } : {}),
      ...(RARE.includes(i) ? { customerId: "rare" } : {}),
    }));
    return org.key;
  }

  test("is found once, in order, in pages that each scan a bounded number of runs", async () => {
    const key = await crowd();
    const names = RARE.map((i) => `r${String(i).padStart(6, "0")}`);
    for (const [sort, expected] of [
      ["started_at", names],
      ["-started_at", names.toReversed()],
    ] as const) {
      const found: string[] = [];
      const sizes: number[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const at = cursor === "" ? "" : `&cursor=${cursor}`;
        const page = await call("GET", `/v1/runs?customer_id=rare&model=acme/m1&sort=${sort}&limit=2${at}`, {
          key,
        });
        expect(page.status).toBe(200);
        found.push(...page.body.data.map((run: { id: string }) => run.id));
        sizes.push(page.body.data.length);
        cursor = page.body.next_cursor;
      }
      expect(found).toEqual(expected);
      expect(sizes.length).toBeGreaterThan(2);
    }
    const none = "/v1/runs?customer_id=usual&model=other&sort=started_at";
    const pages: number[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page = await call("GET", `${none}${cursor === "" ? "" : `&cursor=${cursor}`}`, { key });
      pages.push(page.body.data.length);
      cursor = page.body.next_cursor as string | null;
    }
    expect(pages).toEqual([0, 0, 0]);
    const from = "2026-11-15T02:00:00Z";
    const near = await call(
      "GET",
      `/v1/runs?customer_id=rare&model=acme/m1&from=${from}&to=2026-11-15T02:00:01Z`,
      { key },
    );
    expect([near.body.data.length, near.body.next_cursor]).toEqual([1, null]);
    const all = await call("GET", "/v1/runs?limit=1", { key });
    expect(all.body.data[0].id).toBe("r249999");
  });
});
