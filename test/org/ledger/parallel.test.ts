import { expect, test } from "vitest";
import { World } from "./world.ts";

const PARALLEL = 200;
const ROOM = 37;

const aRun = (fields: object) => ({
  started_at: "2027-01-01T00:00:00Z",
  model: "m",
  usage: { input_tokens: 1, output_tokens: 1 },
  cost_usd: "1",
  ...fields,
});

async function opened(): Promise<World> {
  const world = new World();
  await world.open();
  return world;
}

const times = <T>(count: number, ask: () => Promise<T>) => Promise.all(Array.from({ length: count }, ask));

test.each([
  ["a customer with a limit of its own", "known", "known"],
  ["a customer never seen before", "new", "*"],
])(
  "of 200 parallel runs for %s, exactly as many are admitted as there is room for",
  async (_who, customer_id, row) => {
    const world = await opened();
    await world.call("createCustomerLimit", { customer_id: row, limit_usd: String(ROOM), period: "day" });
    const answers = await times(PARALLEL, () => world.call("recordRun", aRun({ customer_id })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(ROOM);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(PARALLEL - ROOM);
  },
);

test("of 200 parallel decisions, exactly as many are held as there is room for", async () => {
  const world = await opened();
  await world.call("setSpendCap", { cap_usd: String(ROOM), timezone: "UTC" });
  const answers = await times(PARALLEL, () => world.call("decide", { estimate: { cost_usd: "1" } }));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(ROOM);
  expect(await world.query("getSpendCap", {})).toMatchObject({
    reserved_usd: `${ROOM}.00`,
    spent_usd: "0.00",
  });
});

test("the same run sent 100 times at once is charged once, even with another Idempotency-Key and in a batch", async () => {
  const world = await opened();
  const answers = await times(100, () => world.call("recordRun", aRun({ id: "same" })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(99);
  const text = JSON.stringify({ runs: [aRun({ id: "same" }), aRun({ id: "same" })] });
  const batch = await world.call("recordRuns", { text }, "twice");
  expect(batch.body).toMatchObject({ accepted: 0, duplicates: 2 });
  expect(await world.query("getPlan", {})).toMatchObject({ runs_used: 1 });
});

const everything = (cost_usd: string, fields: object) => ({
  checks: "all",
  estimate: { cost_usd, input_tokens: 1, max_output_tokens: 1 },
  ...fields,
});

const UNLIMITED = { plan: "unlisted", runs_limit: null, tokens_limit: null, overage_policy: "block" };

test.each([
  ["runs of a plan", "setPlanTerms", { ...UNLIMITED, runs_limit: ROOM }, {}],
  ["tokens of a plan", "setPlanTerms", { ...UNLIMITED, tokens_limit: 2 * ROOM }, {}],
  ["the cost of a chain", "setChainBudget", { max_cost_usd: String(ROOM) }, { chain: { chain_id: "x" } }],
  ["the tokens of a chain", "setChainBudget", { max_tokens: 2 * ROOM }, { chain: { chain_id: "x" } }],
  [
    "credits",
    "createCreditPack",
    { customer_id: "c", amount_usd: String(ROOM), priority: 1 },
    { customer_id: "c" },
  ],
])(
  "of 200 parallel decisions and runs, exactly as many are admitted as there are %s",
  async (_what, name, limit, fields) => {
    const world = await opened();
    await world.call(name, limit);
    const answers = await Promise.all(
      Array.from({ length: PARALLEL }, (_, n) =>
        n % 2 === 0
          ? world.call("decide", everything("1", fields))
          : world.call("recordRun", aRun({ ...fields, usage: { input_tokens: 2, output_tokens: 0 } })),
      ),
    );
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(ROOM);
    const held = answers.flatMap(({ status, body }) =>
      status === 200 ? [body.reservation.id as string] : [],
    );
    expect(held.length).toBeGreaterThan(0);
    await Promise.all(held.map((reservationId) => world.call("releaseHold", { reservationId }, "twice")));
    const again = await times(PARALLEL, () => world.call("decide", everything("1", fields)));
    expect(again.filter(({ status }) => status === 200)).toHaveLength(held.length);
  },
);

test("a reservation of credits that runs settle and callers release at once ends once", async () => {
  const world = await opened();
  const pack = await world.call("createCreditPack", { customer_id: "c", amount_usd: "9", priority: 1 });
  for (let round = 0; round < 20; round += 1) {
    const before = await world.query("getCreditPack", { id: pack.body.id });
    const { body } = await world.call("decide", everything("0.25", { customer_id: "c" }));
    const reservation_id = body.reservation.id as string;
    const fields = { reservation_id, customer_id: "c", cost_usd: "0.125" };
    const ends = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n % 2 === round % 2
          ? world.call("recordRun", aRun({ id: `r${round}-${n}`, ...fields }))
          : world.call("releaseHold", { reservationId: reservation_id }),
      ),
    );
    const runs = ends.filter(({ status }) => status === 201).length;
    const releases = ends.filter(({ status }) => status === 204).length;
    expect([runs, releases === 0]).toEqual(runs === 0 ? [0, false] : [1, true]);
    const after = await world.query("getCreditPack", { id: pack.body.id });
    expect(after.reserved_usd).toBe("0.00");
    const spent = Number(after.spent_usd) - Number(before.spent_usd);
    expect(spent).toBe(runs === 0 ? 0 : 0.125);
  }
});
